import { normalisePath } from "@appserver/contracts/patterns";
import { descriptionLimits } from "./description-limits.ts";
import { own } from "./parse-document.ts";
import { isValueName } from "./value-schemas.ts";

/** A path of a document, below the base path of the API. */
export interface DescribedPath {
  readonly path: string;
  /** The names of its parameters. */
  readonly parameters: ReadonlySet<string>;
}

const parameter = /\{([^{}]*)\}/g;
/** In place of a parameter, while the text around it is normalised. */
const placeholder = "0";

/**
 * Reads a path as the document has it: below the path of its first server if that leads to the base path, else below the base path or
 * from the root of the platform. Undefined for a path that no request can have.
 */
export function describedPath(written: string, serverPath: string | undefined, basePath: string): DescribedPath | undefined {
  if (!written.startsWith("/") || written.length > descriptionLimits.path) return undefined;
  const fromServer = serverPath !== undefined && below(basePath, serverPath) !== undefined ? serverPath + written : undefined;
  const path = (fromServer !== undefined ? below(fromServer, basePath) : undefined) ?? below(written, basePath) ?? written;
  const segments = path.slice(1).split("/");
  if (segments.length > descriptionLimits.pathSegments) return undefined;
  const names = [...path.matchAll(parameter)].map(([, name]) => name);
  const parameters = new Set(names.filter(isValueName));
  if (parameters.size < names.length) return undefined;
  const normal = segments.map(normalSegment);
  return normal.includes(undefined) ? undefined : { path: `/${normal.join("/")}`, parameters };
}

/** Returns the path of the first server, without a trailing slash. Undefined if the document names none, or one with variables. */
export function serverPathOf(document: unknown): string | undefined {
  const servers = own(document, "servers");
  const url = own(Array.isArray(servers) ? servers[0] : undefined, "url");
  if (typeof url !== "string" || url.length > descriptionLimits.path || url.includes("{")) return undefined;
  return URL.parse(url, "http://app/")?.pathname.replace(/\/+$/, "");
}

/** Returns the part of a path below another one, with its leading slash. */
function below(path: string, base: string): string | undefined {
  if (path === base) return "/";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

/** Returns a segment with its literal part in the spelling that requests have. */
function normalSegment(segment: string): string | undefined {
  const literals = segment.split(parameter).filter((_, index) => index % 2 === 0);
  if (literals.some((literal) => /[{}]/.test(literal))) return undefined;
  try {
    const around = (literal: string) =>
      normalisePath(`/${placeholder}${encodeURI(literal).replaceAll("%25", "%")}${placeholder}`).slice(2, -1);
    if (literals.length === 1) return normalisePath(`/${encodeURI(segment).replaceAll("%25", "%")}`).slice(1);
    const names = [...segment.matchAll(parameter)].map(([text]) => text);
    return literals.map((literal, index) => around(literal) + (names[index] ?? "")).join("");
  } catch (error) {
    if (error instanceof RangeError || error instanceof URIError) return undefined;
    throw error;
  }
}
