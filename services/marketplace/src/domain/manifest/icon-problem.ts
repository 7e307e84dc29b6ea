import { quote } from "@appserver/contracts/patterns";
import { manifestLimits } from "./manifest-limits.ts";

/** SVG text, which is shown as an image and never as markup: what scripts it has do not run. */
const svgStart = /^\s*<(?:svg[\s>/]|\?xml\s|!--|!DOCTYPE svg)/i;
const dataImage = /^data:image\/[a-z0-9.+-]{1,64}[;,]/;
const httpUrl = /^https?:\/\/[^/\\\s]/;

/** What is wrong with the icon of a navigation entry, or undefined. No other scheme passes: `javascript:` runs where it is a link. */
export function iconProblem(icon: string): string | undefined {
  const { navigationIconLength } = manifestLimits;
  if (icon.length > navigationIconLength) return `must have at most ${navigationIconLength} characters`;
  if (icon === "" || (svgStart.test(icon) && icon.includes("<svg")) || dataImage.test(icon) || isBrowserPath(icon))
    return undefined;
  if (httpUrl.test(icon) && !/[\p{C}\p{Z}\\]/u.test(icon) && URL.canParse(icon)) return undefined;
  return `must be SVG text, an http(s) URL, a path that starts with one "/", or a data:image URI, got ${quote(icon)}`;
}

/** A path that a browser reads as one of this origin: it drops tabs and line breaks, and takes a backslash for a slash. */
export function isBrowserPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\\p{C}\p{Z}]/u.test(text);
}
