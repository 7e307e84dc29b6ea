import type { ConfigProblem } from "./config-error.ts";
import type { YamlValue } from "./parse-yaml.ts";
import type { Option, Section, Switch } from "./schema.ts";
import type { ReadFile } from "./types/option-type.ts";
import { boolean } from "./types/plain-types.ts";

export type OriginKind = "flag" | "environment" | "file" | "default" | "unset";

/** The source of a value. */
export interface Origin {
  readonly kind: OriginKind;
  /** The flag, the variable, or the file with the line. */
  readonly name: string;
}

/** The value given for one option, before parsing. */
export interface Given {
  readonly origin: Origin;
  /** The name in problem messages: `APPSERVER_HTTP_PORT`, `--http-port`, `appserver.yaml:3 server.http_port`. */
  readonly name: string;
  readonly written: string | readonly string[];
  /** Whether it is a mapping of the YAML file, or a sequence of such; then it is written as JSON. */
  readonly isStructure?: boolean;
  /** Contents of the value's file if they are not text. */
  readonly bytes?: Uint8Array;
  /** The variable that the value would have in the environment, if it is not that of the option. */
  readonly variable?: { readonly name: string; readonly value: string };
}

/** The sources of a configuration. */
export interface Sources {
  /** Parsed from the command line: by flag, without `--`. `config` is the path of the YAML file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Reads the YAML file of `-c`, and secrets and certificates that are given by path. */
  readonly readFile: ReadFile;
}

export type Lookup = Pick<Sources, "flags" | "environment" | "readFile"> & {
  readonly yaml: (
    section: Pick<Section, "yaml" | "aliases">,
    key: string,
  ) => (YamlValue & { readonly file: string; readonly path: string }) | undefined;
};

/**
 * Returns the first value among flags, environment and file. Treats an empty text as not given. A value and a switch that stands
 * for another one are a problem that names both, wherever they are given.
 */
export function findGiven(option: Option, section: Section, lookup: Lookup): Given | ConfigProblem | undefined {
  const named = findNamed(option, section, lookup);
  const switched = option.switch && findSwitched(option.switch, lookup);
  if (named === undefined || (switched && "message" in switched)) return switched;
  if (switched === undefined || "message" in named || named.written === switched.written) return named;
  const message = `contradicts ${switched.name}=${switched.variable?.value}, which means ${switched.written}: expected only one of the two`;
  return { name: named.name, given: JSON.stringify(named.written), message };
}

function findNamed(option: Option, section: Section, lookup: Lookup): Given | ConfigProblem | undefined {
  return fromFlags(option, lookup) ?? fromEnvironment(option, lookup) ?? fromYaml(option, section, lookup);
}

function findSwitched(choice: Switch, lookup: Lookup): Given | ConfigProblem | undefined {
  const asOption: Option = { type: boolean, doc: "", env: choice.env, yaml: choice.yaml };
  const found = fromEnvironment(asOption, lookup) ?? fromYaml(asOption, choice.section, lookup);
  if (found === undefined || "message" in found) return found;
  const reading = boolean.read(String(found.written), lookup.readFile);
  if ("expected" in reading)
    return { name: found.name, given: JSON.stringify(found.written), message: `expected ${reading.expected}` };
  const variable = { name: choice.env, value: String(reading.value) };
  return { ...found, variable, written: reading.value ? choice.on : choice.off };
}

/** Returns whether the value can be given by the path of a file. */
export function mayBeInFile(option: Option): boolean {
  return option.secret === true || option.inFile === true;
}

function fromFlags({ flag }: Option, { flags }: Lookup): Given | undefined {
  const value = flag === undefined ? undefined : flags?.[flag];
  if (value === undefined) return undefined;
  return { origin: { kind: "flag", name: `--${flag}` }, name: `--${flag}`, written: String(value) };
}

function fromEnvironment(option: Option, { environment = {}, readFile }: Lookup): Given | ConfigProblem | undefined {
  for (const name of [option.env, ...(option.aliases ?? [])]) {
    if (name === undefined) continue;
    const value = environment[name];
    const path = mayBeInFile(option) ? environment[`${name}_FILE`] : undefined;
    if (value && path) return { name, message: `expected either this or ${name}_FILE, not both` };
    const origin = (variable: string): Origin => ({ kind: "environment", name: variable });
    if (path) return inFile(path, `${name}_FILE`, origin(`${name}_FILE`), readFile);
    if (value) return { origin: origin(name), name, written: value };
  }
  return undefined;
}

function fromYaml(option: Option, section: Switch["section"], { yaml, readFile }: Lookup): Given | ConfigProblem | undefined {
  if (option.yaml === undefined) return undefined;
  const value = notEmpty(yaml(section, option.yaml));
  const path = mayBeInFile(option) ? notEmpty(yaml(section, `${option.yaml}_file`)) : undefined;
  const found = path ?? value;
  if (found === undefined) return undefined;
  const place = `${found.file}:${found.line}`;
  if (path && value) return { name: `${place} ${path.path}`, message: `expected either this or ${value.path}, not both` };
  const origin: Origin = { kind: "file", name: place };
  if (path) return inFile(String(path.given), `${place} ${path.path}`, origin, readFile);
  return { origin, name: `${place} ${found.path}`, written: found.given, ...(found.isStructure && { isStructure: true }) };
}

function notEmpty<V extends YamlValue>(value: V | undefined): V | undefined {
  return value === undefined || value.given === "" ? undefined : value;
}

/** Reads a value from its file. Docker and Kubernetes provide secrets as files; editors end those with a line feed. */
function inFile(path: string, name: string, origin: Origin, readFile: ReadFile): Given | ConfigProblem {
  try {
    const bytes = readFile(path);
    const text = decode(bytes);
    if (text === undefined) return { origin, name, written: "", bytes };
    return { origin, name, written: text.replace(/\r?\n$/, "") };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, given: JSON.stringify(path), message: `expected the path of a readable file (${reason})` };
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
