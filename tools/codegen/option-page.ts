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

\`appserver serve\`, \`appserver orchestrate\` and \`appserver dev\` read their options from, first wins:

1. flags, where there is one: \`--http-port 8081\`;
2. the environment: \`APPSERVER_HTTP_PORT=8081\`;
3. the YAML file of \`-c <file>\`, by section and key: \`server: { http_port: 8081 }\`
   ([example](../../deploy/appserver.yaml));
4. defaults.

\`appserver config print [serve|orchestrate|dev]\` shows every value and where it comes from, secrets masked.
\`appserver config check [serve|orchestrate|dev]\` says everything that is wrong at once, and exits with 1 if something is.

- An empty variable or key is as good as none.
- Where this page says *or file*, \`<VARIABLE>_FILE\`, or \`<key>_file\` in the file, gives the path of a file that holds the
  value; a line feed at its end is not part of it.
- Lists are separated by commas in variables; the file also takes a YAML sequence.
- One environment and one file can serve all processes: each takes what it reads. In the file, a name that means nothing to
  any of them is an error; in the environment, a variable that begins with \`APPSERVER_\` and means nothing is a warning.
- Keys of 32 bytes: their length alone says how they are written. 64 characters are hex, 43 or 44 are base64 (either
  alphabet, padded or not), 32 bytes are the key itself, even where they look like hex. \`openssl rand -hex 32\` makes one.
- To change the settings encryption key without stopping: put the new key first in \`encryption_keys\`, leave the old one
  where it is, restart the replicas one by one, then \`appserver settings rotate-key\`.
- \`KRATOS_SECRETS_COOKIE\`, \`KRATOS_SECRETS_CIPHER\`, \`HYDRA_*\` and \`POSTGRES_PASSWORD\` are those
  servers' own; the platform neither reads them nor passes them on.
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
