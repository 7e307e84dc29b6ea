import type { Option, Schema, Section, Sections, Switch } from "@appserver/options";
import { allSections } from "@appserver/options/sections";
import { devSchema } from "../../apps/server/src/config/dev-schema.ts";
import { orchestrateSchema } from "../../apps/server/src/config/orchestrate-schema.ts";
import { serveSchema } from "../../apps/server/src/config/serve-schema.ts";

const schemas: readonly Pick<Schema<Sections>, "process" | "sections">[] = [serveSchema, orchestrateSchema, devSchema];

/** Generates `docs/reference/options.md`: every option of every process under each of its names. */
export function generateOptionPage(): string {
  return `<!-- Generated from libraries/options/src/sections by \`npm run generate\`. Do not edit. -->

# Options

\`appserver serve\`, \`appserver orchestrate\` and \`appserver dev\` read their options from these sources. The first source that has a value wins:

1. flags, for options that have one: \`--http-port 8081\`;
2. the environment: \`APPSERVER_HTTP_PORT=8081\`;
3. the YAML file of \`-c <file>\`, by section and key: \`server: { http_port: 8081 }\`
   ([example](../../deploy/appserver.yaml));
4. defaults.

\`appserver config print [serve|orchestrate|dev]\` prints every value and its source. Secrets are masked.
\`appserver config check [serve|orchestrate|dev]\` reports all problems at once, and exits with 1 if there are any. For
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
${Object.entries(allSections).map(sectionText).join("")}`;
}

function sectionText([name, section]: readonly [string, Section]): string {
  const rows = Object.entries(section.options).map(([key, option]) => row(name, key, option));
  return `
## ${section.yaml}${(section.aliases ?? []).map((alias) => `, or ${alias}`).join("")}

${section.doc} ${readersOf(name, section)}

| key | variable, flag | default | expected | |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Returns the processes that read a section. Some processes read only a part of it. */
function readersOf(name: string, section: Section): string {
  const readers = schemas.flatMap(({ process, sections }): readonly string[] => {
    const options = Object.values(sections[name]?.options ?? {});
    if (options.length === 0) return [];
    const isWhole = options.length === Object.keys(section.options).length;
    return [`\`${process}\`${isWhole ? "" : ` (only ${options.map(({ yaml }) => `\`${yaml}\``).join(", ")})`}`];
  });
  return `Read by ${readers.join(", ")}.`;
}

function row(section: string, key: string, option: Option): string {
  const orFile = option.secret || option.inFile ? " or file" : "";
  const names = [
    ...[option.env, ...(option.aliases ?? [])].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])),
    ...(option.flag === undefined ? [] : [`\`--${option.flag}\``]),
    ...(option.switch === undefined ? [] : [switchText(option.switch)]),
  ];
  return cells([
    `\`${option.yaml}\``,
    `${names.join(", ")}${orFile}`,
    defaultOf(section, key, option),
    option.type.expected,
    option.doc,
  ]);
}

/** Returns, for example, "or `APPSERVER_REDIS_ENABLED` (`cache.redis_enabled`): `true` is `redis`, `false` is `memory`". */
function switchText({ env, section, yaml, on, off }: Switch): string {
  return `or \`${env}\` (\`${section.yaml}.${yaml}\`): \`true\` is \`${on}\`, \`false\` is \`${off}\``;
}

/** Returns the defaults of an option. Some processes have a different default. */
function defaultOf(section: string, key: string, option: Option): string {
  const texts = schemas.flatMap(({ process, sections }) => {
    const own = sections[section]?.options[key];
    return own && (own.default !== option.default || own.required !== option.required)
      ? [`${process}: ${defaultText(own)}`]
      : [];
  });
  return [defaultText(option), ...texts].join("; ");
}

function defaultText({ default: text, required }: Option): string {
  if (required) return "**required**";
  return text === undefined || text === "" ? "none" : `\`${text}\``;
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
}
