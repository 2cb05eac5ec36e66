/*
 * Fingerprints of the host keys of well-known Git hosting services. Each one was found in the
 * service's documentation (as quoted by other projects) and in at least one independent list, and
 * both agreed. The RSA and ECDSA keys of git.sr.ht are missing because no second source was found.
 *
 *   - github.com: docs.github.com/…/githubs-ssh-key-fingerprints, api.github.com/meta
 *   - gitlab.com: docs.gitlab.com/user/gitlab_com/#ssh-host-keys-fingerprints
 *   - bitbucket.org:
 * support.atlassian.com/bitbucket-cloud/docs/configure-ssh-and-two-step-verification and
 * bitbucket.org/blog/ssh-host-key-changes (2023)
 *   - codeberg.org: docs.codeberg.org/security/ssh-fingerprint
 *   - git.sr.ht: man.sr.ht/git.sr.ht/#ssh-host-keys
 */
#include <string.h>

#include "ssh-agent/wire/known_hosts.h"

static const struct {
    const char *name, *fingerprint;
} forges[] = {
    {"github.com", "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"},    /* ED25519 */
    {"github.com", "SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM"},    /* ECDSA */
    {"github.com", "SHA256:uNiVztksCsDhcc0u9e8BujQXVUpKZIDTMczCvj3tD2s"},    /* RSA */
    {"gitlab.com", "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8"},    /* ED25519 */
    {"gitlab.com", "SHA256:HbW3g8zUjNSksFbqTiUWPWg2Bq1x8xdGUrliXFzSnUw"},    /* ECDSA */
    {"gitlab.com", "SHA256:ROQFvPThGrW4RuWLoL9tq9I9zJ42fK4XywyRtbOz/EQ"},    /* RSA */
    {"bitbucket.org", "SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM"}, /* ED25519 */
    {"bitbucket.org", "SHA256:FC73VB6C4OQLSCrjEayhMp9UMxS97caD/Yyi2bhW/J0"}, /* ECDSA */
    {"bitbucket.org", "SHA256:46OSHA1Rmj8E8ERTC6xkNcmGOw9oFxYr0WF6zWW8l1E"}, /* RSA */
    {"codeberg.org", "SHA256:mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g"},  /* ED25519 */
    {"codeberg.org", "SHA256:T9FYDEHELhVkulEKKwge5aVhVTbqCW0MIRwAfpARs/E"},  /* ECDSA */
    {"codeberg.org", "SHA256:6QQmYi4ppFS4/+zSZ5S4IU+4sa6rwvQ4PbhCtPEBekQ"},  /* RSA */
    {"git.sr.ht", "SHA256:WXXNZu0YyoE3KBl5qh4GsnF1vR0NeEPYJAiPME+P09g"},     /* ED25519 */
};

const char *ssh_forge_name(const struct ssh_key *key)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(key, fingerprint);
    for (size_t i = 0; i < sizeof forges / sizeof *forges; i++)
        if (strcmp(forges[i].fingerprint, fingerprint) == 0)
            return forges[i].name;
    return NULL;
}
