import { defineSection } from "../schema.ts";
import { durationOrZero } from "../types/duration.ts";
import { certificateFile } from "../types/file-content.ts";
import { matching, oneOf, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Sessions (docs/interface/permissions.md#sessions) and registration (docs/interface/permissions.md#registration). */
export const authSection = defineSection({
  yaml: "auth",
  doc: "Sessions of users, and the registration of apps.",
  options: {
    sessionCookieName: {
      env: "APPSERVER_SESSION_COOKIE_NAME",
      yaml: "session_cookie_name",
      type: matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "a cookie's name"),
      default: "ory_kratos_session",
      doc: "Session cookie. The default is the cookie of Ory Kratos",
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
      type: oneOf("kratos", "dev"),
      default: "kratos",
      doc: "Ory Kratos, or the users of `appserver dev`, who have no passwords. Default of `appserver dev`: `dev`",
    },
  },
});

/** Identity provider (docs/interface/permissions.md#sessions), authorization service (docs/interface/permissions.md#model). */
export const authServicesSection = defineSection({
  yaml: "auth_services",
  doc: "Addresses of Ory Kratos, if it is the identity provider, and of OpenFGA, the authorization service.",
  options: {
    kratosPublicUrl: {
      env: "APPSERVER_KRATOS_PUBLIC_URL",
      yaml: "kratos_public_url",
      type: url("http", "https"),
      doc: "Public API of Kratos, which validates sessions. Required if `identity.driver` is `kratos`",
    },
    kratosBrowserUrl: {
      env: "APPSERVER_KRATOS_BROWSER_URL",
      yaml: "kratos_browser_url",
      type: url("https", "http"),
      doc: "URL of that API for browsers, if they use it directly and sign in on other pages than those of the console. Without it, browsers reach Kratos through the platform",
    },
    kratosAdminUrl: {
      env: "APPSERVER_KRATOS_ADMIN_URL",
      yaml: "kratos_admin_url",
      type: url("http", "https"),
      doc: "Admin API of Kratos. It gives the names of users, and finds them by e-mail address; sessions are checked without it",
    },
    openfgaApiUrl: {
      env: "APPSERVER_OPENFGA_API_URL",
      aliases: ["OPENFGA_API_URL"],
      yaml: "openfga_api_url",
      type: url("http", "https"),
      required: true,
      doc: "OpenFGA's HTTP API",
    },
    openfgaApiToken: {
      env: "APPSERVER_OPENFGA_API_TOKEN",
      aliases: ["OPENFGA_API_TOKEN"],
      yaml: "openfga_api_token",
      type: text,
      secret: true,
      doc: "A preshared key of OpenFGA, if it requires one",
    },
    openfgaStoreId: {
      env: "APPSERVER_OPENFGA_STORE_ID",
      aliases: ["OPENFGA_STORE_ID"],
      yaml: "openfga_store_id",
      type: text,
      doc: "Id of the store. Default: the only store with the name `openfga_store_name`",
    },
    openfgaStoreName: {
      env: "APPSERVER_OPENFGA_STORE_NAME",
      yaml: "openfga_store_name",
      type: text,
      default: "appserver",
      doc: "Name of the store that is found or created",
    },
    openfgaModelId: {
      env: "APPSERVER_OPENFGA_MODEL_ID",
      aliases: ["OPENFGA_MODEL_ID"],
      yaml: "openfga_model_id",
      type: text,
      doc: "Id of the authorization model. Default: the latest of the store",
    },
  },
});
