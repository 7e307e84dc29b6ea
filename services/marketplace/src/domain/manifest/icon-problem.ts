import { quote } from "@appserver/contracts/patterns";
import { manifestLimits } from "./manifest-limits.ts";

/** SVG text. It is displayed as an image, never as markup, so scripts in it do not run. */
const svgStart = /^\s*<(?:svg[\s>/]|\?xml\s|!--|!DOCTYPE svg)/i;
const dataImage = /^data:image\/[a-z0-9.+-]{1,64}[;,]/;
const httpUrl = /^https?:\/\/[^/\\\s]/;

/**
 * Returns the problem with the icon of a navigation entry, or undefined. Refuses all other schemes, because `javascript:` runs
 * if the icon is used as a link.
 */
export function iconProblem(icon: string): string | undefined {
  const { navigationIconLength } = manifestLimits;
  if (icon.length > navigationIconLength) return `must have at most ${navigationIconLength} characters`;
  if (icon === "" || (svgStart.test(icon) && icon.includes("<svg")) || dataImage.test(icon) || isBrowserPath(icon))
    return undefined;
  if (httpUrl.test(icon) && !/[\p{C}\p{Z}\\]/u.test(icon) && URL.canParse(icon)) return undefined;
  return `must be SVG text, an http(s) URL, a path that starts with one "/", or a data:image URI, got ${quote(icon)}`;
}

/**
 * Returns whether browsers read the text as a path of this origin. Browsers drop tabs and line breaks and read a backslash as a
 * slash.
 */
export function isBrowserPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\\p{C}\p{Z}]/u.test(text);
}
