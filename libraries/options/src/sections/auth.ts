import { defineSection } from "../schema.ts";
import { driverName } from "../types/driver-name.ts";
import { durationOrZero } from "../types/duration.ts";
import { certificateFile } from "../types/file-content.ts";
import { matching, oneOf } from "../types/plain-types.ts";
import { mapping } from "../types/structure.ts";

/** Sessions (docs/interface/permissions.md#sessions) and registration (docs/interface/permissions.md#registration). */
export const authSection = defineSection({
  yaml: "auth",
  doc: "Sessions of users, and the registration of apps.",
  options: {
    sessionCookieName: {
      env: "APPSERVER_SESSION_COOKIE_NAME",
      yaml: "session_cookie_name",
      type: matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "a cookie's name"),
      doc: "Session cookie. Default: `ory_kratos_session` with Kratos; with accounts `__Host-appserver_session`, and without https in `server.public_url` `appserver_session`",
    },
    sessionCacheTtlMs: {
      env: "APPSERVER_SESSION_CACHE_TTL",
      yaml: "session_cache_ttl",
      type: durationOrZero,
      default: "0",
      doc: "How long a validated session is cached. With 0, the identity provider validates it at every request",
    },
    registration: {
      env: "APPSERVER_REGISTRATION",
      yaml: "registration",
      type: oneOf("open", "token", "ca"),
      default: "token",
      doc: "Which callers may register apps: all, holders of the token, or holders of a certificate that an authority issued",
    },
    registrationToken: {
      env: "APPSERVER_REGISTRATION_TOKEN",
      yaml: "registration_token",
      type: matching(/^[\x21-\x7e]{16,1024}$/, "16 or more printable characters without spaces"),
      secret: true,
      doc: "The token, if `registration` is `token`",
    },
    registrationCaFile: {
      env: "APPSERVER_REGISTRATION_CA_FILE",
      yaml: "registration_ca_file",
      type: certificateFile,
      doc: "The certificate authorities, if `registration` is `ca`",
    },
  },
});

/** Where users sign in (docs/interface/permissions.md#sessions). */
export const identitySection = defineSection({
  yaml: "identity",
  doc: "The identity provider.",
  options: {
    driver: {
      env: "APPSERVER_IDENTITY_DRIVER",
      yaml: "driver",
      type: driverName,
      flag: "identity",
      default: "kratos",
      doc: "Where users sign in",
    },
    groups: {
      env: "APPSERVER_IDENTITY_GROUPS",
      yaml: "groups",
      type: mapping({
        expected: "groups with role:<name> or app:<name>#<owner, editor or viewer>, or a list of these",
        values: /^(?:role:[A-Za-z0-9._@+|-]{1,128}|app:[a-z0-9._-]{1,63}#(?:owner|editor|viewer))$/,
      }),
      default: "{}",
      doc: "What the groups of the identity provider are given (docs/interface/permissions.md#groups). In the environment as JSON",
    },
  },
});

/** Who decides what callers may do (docs/interface/permissions.md#model). */
export const authorizationSection = defineSection({
  yaml: "authorization",
  doc: "The authorization service.",
  options: {
    driver: {
      env: "APPSERVER_AUTHORIZATION_DRIVER",
      yaml: "driver",
      type: driverName,
      default: "openfga",
      doc: "What stores and evaluates permissions",
    },
  },
});
