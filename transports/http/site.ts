import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { AppError, escapeHtml, type MaybePromise, ownSources } from "@appserver/kernel";
import send from "@fastify/send";
import { HttpStatusError } from "./error-response.ts";
import { pageLanguage } from "./page-language.ts";
import type { RawHandler } from "./request-context.ts";

/** Files of a built web application. A page `name.html` is at `name`, and the first one of a folder at `folder/`. */
export interface Site {
  /** Path of the first page, without a slash at its end: `/playground`. */
  readonly path: string;
  /** Returns the folder with `index.html`. Rejects if there is none. Called for each request. */
  readonly folder: () => Promise<string>;
  /**
   * `Content-Security-Policy` of every file but the frame. With `isShell` it may contain {@link nonceMark}, and {@link ownSource} around a
   * path; one around {@link originAppMark} stands for one path for each app whose pages run in the document.
   */
  readonly policy: string;
  /** What the page at `/` lists of it. Nothing if undefined. */
  readonly listed?: { readonly path: string; readonly text: string };
  /**
   * Whether scripts of the site decide what its paths show. Then `/` and every path that is not below `assets/` send `index.html`,
   * in which each {@link nonceMark} becomes the nonce of the response, and `__PLATFORM_NAME__` the name of the platform.
   */
  readonly isShell?: boolean;
  /** Of a site with `isShell`: the languages of its first page. It is `index.html` in the first of them, and in a further one `index.xx.html`. */
  readonly languages?: readonly string[];
  /** Further paths, without a slash at their end, at and below which a site with `isShell` shows its first page. */
  readonly otherPaths?: readonly string[];
  /** Files of it that are at the root as well: `llms.txt`. */
  readonly atRoot?: readonly string[];
  /**
   * Policy of a document that the first page shows in a frame without the platform's origin: `frame.html` at
   * `<path>/frame/<app>/<digest>`, for the page of one release. {@link ownSource} may have {@link appMark} and {@link digestMark} in its path.
   * Undefined if the site has no such document.
   */
  readonly framePolicy?: string;
}

/** Stands in `index.html` and in the policy for a nonce that is different in each response. */
export const nonceMark = "__CSP_NONCE__";

/** Stands in `index.html` of a site with `isShell` for the name of the platform. */
const nameMark = "__PLATFORM_NAME__";

/** Stand in the path of {@link ownSource} for the app and the release of a frame. */
export const appMark = "__APP__";
export const digestMark = "__DIGEST__";
/** Stands in the path of {@link ownSource}, and in `index.html` for the names of the apps. */
export const originAppMark = "__ORIGIN_APPS__";

/** Returns what stands in a policy for a path of the platform. Only the server knows its origin, which the policy must name. */
export function ownSource(path: string): string {
  return `__OWN__${path}__`;
}

const yearSeconds = 31_536_000;
// The library does not know the types of packages.
send.mime.define({ "application/gzip": ["tgz"], "application/zip": ["whl"] });

/** The codings of compressed files, best first. Each file is compressed once, on a thread of zlib. */
const codings = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
} as const;
type Coding = keyof typeof codings;

/** Returns the handler of a site. Files below `assets/` have a hash in their name, so that browsers keep them. */
export function siteHandler(
  { path, folder, policy, isShell = false, languages = [], atRoot = [], framePolicy }: Site,
  originApps: () => MaybePromise<readonly string[]> = () => [],
  platformName = "",
): RawHandler {
  const compressed = new CompressedFiles();
  return {
    handle: async (request, response, { origins = [] }) => {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new HttpStatusError(405, new AppError("INVALID_REQUEST", "use GET or HEAD here"), { allow: "GET, HEAD" });
      const [target = ""] = (request.url ?? "").split("?", 1);
      const own = atRoot.includes(target.slice(1)) ? target : "/";
      const file = target.startsWith(path) ? target.slice(path.length) : own;
      const isHashed = file.startsWith("/assets/");
      const [, app, digest] = framePath.exec(file) ?? [];
      if (framePolicy !== undefined && app !== undefined && digest !== undefined) {
        const ofRelease = framePolicy.replaceAll(appMark, app).replaceAll(digestMark, digest);
        const headers = { ...frameHeaders, ...policyHeader(withSources(ofRelease, origins, [])) };
        return await sendShell(request, response, { file: join(await folder(), "frame.html"), headers, marks: {} });
      }
      if (isShell && !isHashed) {
        const apps = await originApps();
        const headers = { ...pageHeaders, ...policyHeader(withSources(policy, origins, apps)) };
        const marks = { [originAppMark]: apps.join(" "), [nameMark]: escapeHtml(platformName) };
        const language = pageLanguage(request.headers, languages);
        const page = language === undefined || language === languages[0] ? "index.html" : `index.${language}.html`;
        return await sendShell(request, response, { file: join(await folder(), page), headers, marks });
      }
      if (target === path) {
        response.writeHead(308, { location: `${path}/` }).end();
        return;
      }
      const headers = {
        ...pageHeaders,
        // Scripts and styles have none of their own: that of their page holds. It would be most of what a small file weighs.
        "content-security-policy": isShell ? noContent : policy,
        "cache-control": isHashed ? `public, max-age=${yearSeconds}, immutable` : "no-cache",
        // A document without an origin loads scripts as one of another origin does.
        ...(framePolicy === undefined ? {} : { "access-control-allow-origin": "*" }),
      };
      await sendFile(request, response, {
        path,
        root: await folder(),
        file,
        headers,
        ...(isHashed ? { compressed } : {}),
      });
    },
  };
}

/** The names and digests that apps and releases have. */
const framePath = /^\/frame\/([a-z0-9][a-z0-9._-]*)\/([0-9a-f]{64})$/;

/** Replaces each {@link ownSource} of a policy. */
function withSources(policy: string, origins: readonly string[], originApps: readonly string[]): string {
  return policy.replaceAll(/__OWN__(\S*?)__(?=[ ;]|$)/g, (_, path: string) => {
    const paths = path.includes(originAppMark) ? originApps.map((app) => path.replace(originAppMark, app)) : [path];
    return paths.length === 0 ? "" : ownSources(origins, paths);
  });
}

/** Of a file that is no page. */
const noContent = "default-src 'none'; frame-ancestors 'none'";

/** The policy of a frame names who may show it. */
const frameHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;
const pageHeaders = { ...frameHeaders, "x-frame-options": "DENY" } as const;

function policyHeader(policy: string): PolicyHeader {
  return { "content-security-policy": policy };
}

interface PolicyHeader {
  readonly "content-security-policy": string;
}

interface SentShell {
  readonly file: string;
  readonly headers: PolicyHeader & Readonly<Record<string, string>>;
  /** What stands in the file for other texts, with these. */
  readonly marks: Readonly<Record<string, string>>;
}

/** A stored page would be shown with the nonce of an earlier response, and without its session. */
async function sendShell(
  request: IncomingMessage,
  response: ServerResponse,
  { file, headers, marks }: SentShell,
): Promise<void> {
  const nonce = randomBytes(16).toString("base64");
  const written = (await readFile(file, "utf8")).replaceAll(nonceMark, nonce);
  const page = Object.entries(marks).reduce((text, [mark, value]) => text.replaceAll(mark, () => value), written);
  response.writeHead(200, {
    ...headers,
    "content-security-policy": headers["content-security-policy"].replaceAll(nonceMark, nonce),
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
  });
  response.end(request.method === "HEAD" ? undefined : page);
}

interface SentFile {
  readonly path: string;
  readonly root: string;
  readonly file: string;
  readonly headers: Record<string, string>;
  /** Undefined for a file whose name does not change with its content. */
  readonly compressed?: CompressedFiles;
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { path, root, file, headers, compressed }: SentFile,
): Promise<void> {
  const found = await send(request, file, { root, cacheControl: false, dotfiles: "ignore", extensions: ["html"] });
  if (found.type === "directory" && existsSync(join(found.metadata.path, "index.html"))) {
    response.writeHead(308, { location: `${path}${file}/` }).end();
    return;
  }
  if (found.type === "error" && (found.statusCode === 412 || found.statusCode === 416)) {
    found.stream.destroy();
    const { "content-range": range } = lowerCase(found.headers);
    const ranged = typeof range === "string" ? { "content-range": range } : {};
    response.writeHead(found.statusCode, { "cache-control": "no-store", "content-length": "0", ...ranged }).end();
    return;
  }
  if (found.type !== "file") throw new AppError("NOT_FOUND", "the site has no such file");
  const sent: Record<string, unknown> = { ...found.headers, ...headers, vary: "Accept-Encoding" };
  const coding = codingOf(request, sent);
  if (!compressed || found.statusCode !== 200 || request.method === "HEAD" || coding === undefined) {
    response.writeHead(found.statusCode, sent as OutgoingHttpHeaders);
    // The client may leave before the end, or the file may not be readable. The headers are sent, so only the connection can show it.
    await pipeline(found.stream, response).catch(() => response.destroy());
    return;
  }
  found.stream.destroy();
  const body = await compressed.of(found.metadata.path, coding);
  const { "accept-ranges": _ranges, ...rest } = lowerCase(sent);
  response.writeHead(200, { ...rest, "content-encoding": coding, "content-length": body.length } as OutgoingHttpHeaders);
  response.end(body);
}

/** Compresses each file once: a client that asks again and again costs no more than the bytes. */
class CompressedFiles {
  readonly #files = new Map<string, Promise<Buffer>>();

  of(path: string, coding: Coding): Promise<Buffer> {
    const key = `${coding} ${path}`;
    const known = this.#files.get(key);
    if (known) return known;
    const compressing = readFile(path).then((bytes) => codings[coding](bytes));
    this.#files.set(key, compressing);
    compressing.catch(() => this.#files.delete(key));
    return compressing;
  }
}

/** Returns the best coding that the client accepts (RFC 9110 §12.5.3). Undefined if there is none, or if the file would not shrink. */
function codingOf({ headers }: IncomingMessage, sent: Record<string, unknown>): Coding | undefined {
  if (!/javascript|css|svg|json/.test(String(lowerCase(sent)["content-type"] ?? ""))) return undefined;
  const accepted = String(headers["accept-encoding"] ?? "").split(",");
  const isAccepted = (coding: string): boolean =>
    accepted.some((each) => {
      const [name = "", weight = ""] = each.split(";");
      return name.trim().toLowerCase() === coding && !/^\s*q=0(\.0*)?\s*$/i.test(weight);
    });
  return (Object.keys(codings) as Coding[]).find(isAccepted);
}

function lowerCase(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
