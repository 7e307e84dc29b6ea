import type { Schema, Section, Sections, Setting } from "@appserver/configuration";
import { allSections } from "@appserver/configuration/sections";
import { orchestrateSchema } from "@appserver/orchestrator/config";
import { devSchema } from "../../apps/server/src/config/dev-schema.ts";
import { serveSchema } from "../../apps/server/src/config/serve-schema.ts";

const schemas: readonly Pick<Schema<Sections>, "process" | "sections">[] = [serveSchema, orchestrateSchema, devSchema];

/** Generates `docs/reference/settings.md`: every setting of every process under each of its names. */
export function generateSettingsPage(): string {
  return `<!-- Generated from apps/configuration/src/sections by \`npm run generate\`. Do not edit. -->

# Settings

\`appserver serve\`, \`appserver orchestrate\` and \`appserver dev\` read their settings from, first wins:

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
  const rows = Object.entries(section.settings).map(([key, setting]) => row(name, key, setting));
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
    const settings = Object.values(sections[name]?.settings ?? {});
    if (settings.length === 0) return [];
    const isWhole = settings.length === Object.keys(section.settings).length;
    return [`\`${process}\`${isWhole ? "" : ` (only ${settings.map(({ yaml }) => `\`${yaml}\``).join(", ")})`}`];
  });
  return `Read by ${readers.join(", ")}.`;
}

function row(section: string, key: string, setting: Setting): string {
  const orFile = setting.secret || setting.inFile ? " or file" : "";
  const names = [
    ...[setting.env, ...(setting.aliases ?? [])].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])),
    ...(setting.flag === undefined ? [] : [`\`--${setting.flag}\``]),
  ];
  return cells([
    `\`${setting.yaml}\``,
    `${names.join(", ")}${orFile}`,
    defaultOf(section, key, setting),
    setting.type.expected,
    setting.doc,
  ]);
}

/** Returns the defaults of a setting. Some processes have a different default. */
function defaultOf(section: string, key: string, setting: Setting): string {
  const texts = schemas.flatMap(({ process, sections }) => {
    const own = sections[section]?.settings[key];
    return own && (own.default !== setting.default || own.required !== setting.required)
      ? [`${process}: ${defaultText(own)}`]
      : [];
  });
  return [defaultText(setting), ...texts].join("; ");
}

function defaultText({ default: text, required }: Setting): string {
  if (required) return "**required**";
  return text === undefined || text === "" ? "none" : `\`${text}\``;
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
}
