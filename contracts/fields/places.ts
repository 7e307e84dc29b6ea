import type { Misfit } from "./read-fields.ts";

/** Where the values of a document are, as a parser of YAML reports it. */
export interface Places {
  /** Returns the offset of the value with this path, or undefined if the document has none. */
  offsetOf(path: Misfit["path"]): number | undefined;
  /** Returns line and column of an offset, both from 1. */
  lineOf(offset: number): { readonly line: number; readonly col: number };
}

/** A document and its lines, as the library `yaml` parses them. */
export interface ParsedDocument {
  getIn(path: Misfit["path"], keepScalar: true): unknown;
}

/** Returns the places of a document's values. */
export function placesOf(
  document: ParsedDocument,
  lines: { linePos(offset: number): { readonly line: number; readonly col: number } },
): Places {
  return {
    offsetOf: (path) => (document.getIn(path, true) as { readonly range?: readonly number[] } | undefined)?.range?.[0],
    lineOf: (offset) => lines.linePos(offset),
  };
}

/** Returns a problem with its place: `app.yaml:12:7: web_app.ui.mode must …`. `whole`: the name of the whole document. */
export function placedMisfit({ path, message }: Misfit, file: string, places: Places, whole: string): string {
  const field = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  // A field that is missing is a problem of what should have it.
  const offset = path.map((_, index) => places.offsetOf(path.slice(0, path.length - index))).find((each) => each !== undefined);
  return `${placeText(file, places, offset ?? 0)}: ${field === "" ? whole : field.replace(/^\./, "")} ${message}`;
}

/** `app.yaml:12:7` */
export function placeText(file: string, places: Pick<Places, "lineOf">, offset: number): string {
  const { line, col } = places.lineOf(offset);
  return `${file}:${line}:${col}`;
}
