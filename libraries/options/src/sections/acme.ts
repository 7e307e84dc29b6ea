import { defineSection } from "../schema.ts";
import { certificateFile } from "../types/file-content.ts";
import { listOf } from "../types/list.ts";
import { boolean, listenPort, matching, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

const hostName = matching(
  /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})+$/,
  "a name of DNS in lower case: apps.example.com",
);

/** Certificates by ACME (docs/interface/operations.md#certificates-by-acme). */
export const acmeSection = defineSection({
  yaml: "acme",
  doc: "Certificates for TLS from an authority, by ACME (docs/interface/operations.md#certificates-by-acme).",
  options: {
    enabled: {
      env: "APPSERVER_ACME_ENABLED",
      yaml: "enabled",
      type: boolean,
      default: "false",
      doc: "Whether an authority signs the certificates of both ports, in place of `server.tls_cert_file`. Agrees to its terms of service",
    },
    directoryUrl: {
      env: "APPSERVER_ACME_DIRECTORY_URL",
      yaml: "directory_url",
      type: url("https"),
      default: "https://acme-v02.api.letsencrypt.org/directory",
      doc: "The authority. For a trial: https://acme-staging-v02.api.letsencrypt.org/directory",
    },
    email: {
      env: "APPSERVER_ACME_EMAIL",
      yaml: "email",
      type: matching(/^[^\s@]+@[^\s@]+$/, "an e-mail address"),
      doc: "Where the authority writes to",
    },
    hosts: {
      env: "APPSERVER_ACME_HOSTS",
      yaml: "hosts",
      type: listOf(hostName),
      default: "",
      doc: "Names of the certificate in addition to the host of `server.public_url`",
    },
    folder: {
      env: "APPSERVER_ACME_FOLDER",
      yaml: "folder",
      type: text,
      default: "/var/lib/appserver/acme",
      doc: "Where the certificate, its key and the key of the account are",
    },
    httpPort: {
      env: "APPSERVER_ACME_HTTP_PORT",
      yaml: "http_port",
      type: listenPort,
      default: "80",
      doc: "Port for the questions of the authority, which reaches it as port 80 of each name. All other requests are redirected to `server.public_url`",
    },
    caFile: {
      env: "APPSERVER_ACME_CA_FILE",
      yaml: "ca_file",
      type: certificateFile,
      doc: "Certificates that sign that of a private directory",
    },
  },
});
