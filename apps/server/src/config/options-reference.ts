import type { Option, Schema, Section, Sections, Switch } from "@appserver/options";
import { devSchema } from "./dev-schema.ts";
import { type DriverCatalogue, withDrivers } from "./drivers/driver-catalogue.ts";
import { optionSections } from "./drivers/option-sections.ts";
import { orchestrateSchema } from "./orchestrate-schema.ts";
import { serveSchema } from "./serve-schema.ts";
import { upSchema } from "./up-schema.ts";

type Processes = readonly Pick<Schema<Sections>, "process" | "sections">[];

/** Returns every option of every process under each of its names, in Markdown: those of the platform and of these drivers. */
export function optionsReference(catalogue: DriverCatalogue): string {
  const processes = [
    withDrivers<Sections>(serveSchema, catalogue),
    withDrivers<Sections>(orchestrateSchema, catalogue),
    withDrivers<Sections>(upSchema, catalogue),
    withDrivers<Sections>(devSchema, catalogue),
  ];
  const groups = Map.groupBy(Object.entries(optionSections(catalogue)), ([, { yaml }]) => yaml);
  return [...groups.values()].map((sections) => groupText(sections, processes)).join("");
}

/** The section of a family and those of its drivers can have the same name in the file. */
function groupText(sections: readonly (readonly [string, Section])[], processes: Processes): string {
  const names = new Set(sections.flatMap(([, { yaml, aliases = [] }]) => [yaml, ...aliases]));
  return `
## ${[...names].join(", or ")}
${sections.map((section) => sectionText(section, processes)).join("")}`;
}

function sectionText([name, section]: readonly [string, Section], processes: Processes): string {
  const rows = Object.entries(section.options).map(([key, option]) => row(name, key, option, processes));
  return `
${aboutOf(name, section)} ${readersOf(name, section, processes)}

| key | variable, flag | default | expected | |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** A section of a driver has a name with a slash. */
function aboutOf(name: string, { doc }: Section): string {
  const [family, driver] = name.split("/");
  return driver === undefined ? doc : `With \`${family}.driver: ${driver}\`: ${doc}`;
}

/** Returns the processes that read a section. Some processes read only a part of it. */
function readersOf(name: string, section: Section, processes: Processes): string {
  const readers = processes.flatMap(({ process, sections }): readonly string[] => {
    const options = Object.values(sections[name]?.options ?? {});
    if (options.length === 0) return [];
    const isWhole = options.length === Object.keys(section.options).length;
    return [`\`${process}\`${isWhole ? "" : ` (only ${options.map(({ yaml }) => `\`${yaml}\``).join(", ")})`}`];
  });
  return `Read by ${readers.join(", ")}.`;
}

function row(section: string, key: string, option: Option, processes: Processes): string {
  const orFile = option.secret || option.inFile ? " or file" : "";
  const names = [
    ...[option.env, ...(option.aliases ?? [])].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])),
    ...(option.flag === undefined ? [] : [`\`--${option.flag}\``]),
    ...(option.switch === undefined ? [] : [switchText(option.switch)]),
  ];
  return cells([
    `\`${option.yaml}\``,
    `${names.join(", ")}${orFile}`,
    defaultOf(section, key, option, processes),
    option.type.expected,
    option.doc,
  ]);
}

/** Returns, for example, "or `APPSERVER_REDIS_ENABLED` (`cache.redis_enabled`): `true` is `redis`, `false` is `memory`". */
function switchText({ env, section, yaml, on, off }: Switch): string {
  return `or \`${env}\` (\`${section.yaml}.${yaml}\`): \`true\` is \`${on}\`, \`false\` is \`${off}\``;
}

/** Returns the defaults of an option. Some processes have a different default. */
function defaultOf(section: string, key: string, option: Option, processes: Processes): string {
  const texts = processes.flatMap(({ process, sections }) => {
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
