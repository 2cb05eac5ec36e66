"""Whether a request is signed with the keys of AWS, which are in the environment (REAL_ID, REAL_KEY, REAL_TOKEN), by code of
its own: as AWS does, the path counts as it was decoded for S3, and as it came for others.
"""
import datetime
import hashlib
import hmac
import os
import re
import urllib.parse

ID, KEY, TOKEN = (os.environ[name] for name in ("REAL_ID", "REAL_KEY", "REAL_TOKEN"))
FORM = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, "
                  r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})")


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "-._~")


class Signed:
    """A request: its command, path and headers (email.message.Message)."""

    def canonical(self, service, names, payload):
        path, _, query = self.path.partition("?")
        path = quote(urllib.parse.unquote_to_bytes(path) if service == "s3" else path, "/")
        pairs = (part.partition("=")[::2] for part in query.split("&") if part)
        pairs = sorted(tuple(quote(urllib.parse.unquote_to_bytes(text)) for text in pair) for pair in pairs)
        fields = "".join(f"{name}:{','.join(' '.join(v.split()) for v in self.headers.get_all(name))}\n" for name in names)
        query = "&".join(f"{name}={value}" for name, value in pairs)
        return "\n".join((self.command, path, query, fields, ";".join(names), payload))

    def verdict(self, body):
        found = self.headers.get_all("Authorization") or []
        match = FORM.fullmatch(found[0]) if len(found) == 1 else None
        if not match:
            return "unsigned"
        key_id, day, region, service, names, signature = match.groups()
        names = names.split(";")
        time = self.headers["X-Amz-Date"]
        payload = self.headers.get("X-Amz-Content-Sha256", hashlib.sha256(body).hexdigest())
        unsigned = {name.lower() for name in self.headers if name.lower().startswith("x-amz-")} - set(names)
        when = datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        late = abs((datetime.datetime.now(datetime.timezone.utc) - when).total_seconds()) > 900
        if key_id != ID or unsigned or late or "host" not in names or self.headers.get("X-Amz-Security-Token") != TOKEN:
            return "wrong"
        if len(payload) == 64 and payload != hashlib.sha256(body).hexdigest():
            return "another body"
        scope = f"{day}/{region}/{service}/aws4_request"
        hashed = hashlib.sha256(self.canonical(service, names, payload).encode()).hexdigest()
        step = ("AWS4" + KEY).encode()
        for part in (day, region, service, "aws4_request", f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashed}"):
            step = hmac.new(step, part.encode(), hashlib.sha256).digest()
        return f"signed {region} {service}" if hmac.compare_digest(step.hex(), signature) else "forged"
