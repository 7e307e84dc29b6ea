import { apiPath, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { manifestLimits } from "./manifest-limits.ts";

/** SVG text. It is displayed as an image, never as markup, so scripts in it do not run. */
const svgStart = /^\s*<(?:svg[\s>/]|\?xml\s|!--|!DOCTYPE svg)/i;
/** The types that browsers show as images. */
const dataImage = /^data:image\/(?:svg\+xml|png|jpeg|gif|webp|avif|apng|bmp|x-icon|vnd\.microsoft\.icon)[;,]/i;

/**
 * Returns the problem with the icon of a navigation entry, or undefined. Accepts only what the console can show: it loads images from the
 * platform alone (docs/adr/0072-icons-come-from-the-platform.md), and of the app that has the entry.
 */
export function iconProblem(icon: string, manifest: AppManifest): string | undefined {
  const { navigationIconLength } = manifestLimits;
  if (icon.length > navigationIconLength) return `must have at most ${navigationIconLength} characters`;
  if (icon === "" || (svgStart.test(icon) && icon.includes("<svg")) || dataImage.test(icon)) return undefined;
  if (isBrowserPath(icon)) return pathProblem(icon, manifest);
  const address = /^https?:/i.test(icon) ? ". The console loads no images from elsewhere: add the file to the assets" : "";
  return `must be SVG text, a data:image URI, or the path of an asset or API of this app, got ${quote(icon)}${address}`;
}

function pathProblem(icon: string, { name, webApp }: AppManifest): string | undefined {
  const assetPath = `/apps/${name}/assets/`;
  const path = pathOf(icon);
  if (path?.startsWith(`${apiPath(name)}/`)) return undefined;
  if (!path?.startsWith(assetPath))
    return `must be below ${assetPath} or ${apiPath(name)}/, or SVG text or a data:image URI, got ${quote(icon)}`;
  const asset = path.slice(assetPath.length);
  if (webApp?.assets.some((each) => each.name === asset && each.mimeType.startsWith("image/"))) return undefined;
  return `must name an image of web_app.assets, got ${quote(asset)}`;
}

/** Returns the path that a browser asks for, decoded. Undefined if it cannot be decoded. */
function pathOf(icon: string): string | undefined {
  try {
    return decodeURIComponent(new URL(icon, "http://platform").pathname);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether browsers read the text as a path of this origin. Browsers drop tabs and line breaks and read a backslash as a
 * slash.
 */
export function isBrowserPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\\p{C}\p{Z}]/u.test(text);
}
