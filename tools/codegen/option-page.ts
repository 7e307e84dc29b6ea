import { builtInDrivers } from "../../apps/server/src/config/drivers/built-in-drivers.ts";
import { optionsReference } from "../../apps/server/src/config/options-reference.ts";

/** Generates `docs/reference/options.md`: every option of every process under each of its names. */
export function generateOptionPage(): string {
  return `<!-- Generated from libraries/options/src/sections and the drivers by \`npm run generate\`. Do not edit. -->

# Options

\`appserver serve\`, \`appserver orchestrate\` and \`appserver dev\` read their options from these sources. The first source that has a value wins:

1. flags, for options that have one: \`--http-port 8081\`;
2. the environment: \`APPSERVER_HTTP_PORT=8081\`;
3. the YAML file of \`-c <file>\`, by section and key: \`server: { http_port: 8081 }\`
   ([example](../../deploy/appserver.yaml));
4. defaults.

\`appserver config print [serve|orchestrate|dev]\` prints every value and its source. Secrets are masked.
\`appserver config options\` prints this page for the configured platform, with the options of [drivers that are not its
own](../guides/write-a-driver.md). \`appserver config check [serve|orchestrate|dev]\` reports all problems at once, and exits with 1 if there are any. For
\`orchestrate\` it also inspects the server of the apps' databases, if it can reach it.

- An empty variable or key counts as not given.
- *or file*: \`<VARIABLE>_FILE\`, or \`<key>_file\` in the YAML file, can contain the path of a file with the value. A line feed
  at the end of that file is ignored.
- Lists are separated by commas. In the YAML file, a list can also be a sequence.
- All processes can share one environment and one file. Each reads only its own options. A name in the file that no process
  reads is an error. A variable that begins with \`APPSERVER_\` and that no process reads is a warning.
- Keys of 32 bytes: the length of the text determines its encoding. 64 characters are hex, 43 or 44 are base64 (either
  alphabet, padded or not), 32 bytes are the key itself, even if they look like hex. \`openssl rand -hex 32\` prints a new key.
- To change the settings encryption key without downtime: put the new key first in \`encryption_keys\`, keep the old one,
  restart the replicas one by one, then run \`appserver settings rotate-key\`.
- \`KRATOS_SECRETS_COOKIE\`, \`KRATOS_SECRETS_CIPHER\`, \`HYDRA_*\` and \`POSTGRES_PASSWORD\` belong to those servers. The
  platform neither reads them nor forwards them.
${optionsReference(builtInDrivers)}`;
}
