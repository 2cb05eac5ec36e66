# Turns a question into one with texts such as a box would make up.
"\u202e\u2066\u200b\u001b[31m\u0000<b>&amp;שלום" as $evil
| ("e" + ("\u0301" * 500)) as $marks
| .box.name = ("x" * 3000) | .box.project = ("/" + $evil) | .box.colour = "red;} * {opacity:0"
| .headline = "Log in as " + $evil + " at github.com"
| .verdict = "unverified" | .verdict_text = $marks
| .known[0].value = ($evil * 20) | .known[0].detail = ("W" * 3000)
| .known[1].value = $marks | .known[2].value = ("ᄀ" * 500)
| .warnings = [("w" * 2000), ("شبكة " * 200), ("line\n" * 100), $marks]
| .note = ("n" * 2000)
| .chain[0].command = ("\u1161" * 2000) | .chain[1].name = ("﷽" * 500)
| .claimed = [{label: "Arguments", value: ("--a=b " * 1500)}, {label: $evil, value: ("༃" * 900)}]
| .choices[1].scope = ("s" * 2000) | .choices[2].text = ("t" * 2000)
