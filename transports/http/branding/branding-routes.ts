import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { accentShades, type Branding, brandingPaths, type Logo, themeCookie } from "@appserver/contracts/branding";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "../route.ts";

const fileOf = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
const tokens = fileOf("tokens.css").toString("utf8");
const page = fileOf("page.css").toString("utf8");
const app = fileOf("app.css").toString("utf8");
const ownLogo: Logo = { type: "image/svg+xml", bytes: fileOf("logo.svg") };

/** A picture may not run scripts or load anything, also when it is opened as a page of its own. */
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Returns the routes of the styles and of the logo that every page of the platform shows (docs/interface/branding.md#paths). */
export function brandingRoutes(branding: Branding): readonly Route[] {
  const ofBranding = brandStyles(branding);
  const { type, bytes } = branding.logo ?? ownLogo;
  return [
    styleRoute(brandingPaths.tokens, `${tokens}${ofBranding}`),
    styleRoute(brandingPaths.page, `${tokens}${ofBranding}${page}`),
    styleRoute(brandingPaths.app, `${withinApps(`${tokens}${ofBranding}`)}${app}`),
    {
      url: brandingPaths.logo,
      methods: {
        GET: (request, reply) => {
          reply.header("content-security-policy", logoPolicy);
          return sendStored(request, reply, { type, body: bytes, cacheControl: "public, max-age=600" });
        },
      },
    },
  ];
}

/** A page of an app may be in a shadow root, where no rule for the root of the document applies. */
function withinApps(properties: string): string {
  return properties.replaceAll(":where(:root)", ":where(.app)");
}

/** The theme that a person has chosen in the console is in a cookie, so that pages without scripts have it, too. */
function styleRoute(url: string, css: string): Route {
  return {
    url,
    methods: {
      GET: (request, reply) => {
        const theme = themeOf(request.headers.cookie);
        const body = theme === undefined ? css : `${css}:where(html) {\n  color-scheme: ${theme};\n}\n`;
        reply.header("vary", "Cookie");
        return sendStored(request, reply, { type: "text/css; charset=utf-8", body, cacheControl: "private, no-cache" });
      },
    },
  };
}

interface StoredFile {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly cacheControl: string;
}

function sendStored({ headers }: FastifyRequest, reply: FastifyReply, { type, body, cacheControl }: StoredFile): FastifyReply {
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  reply.headers({ etag: tag, "cache-control": cacheControl, "x-content-type-options": "nosniff" });
  if (headers["if-none-match"] === tag) return reply.code(304).send();
  return reply.type(type).send(typeof body === "string" ? body : Buffer.from(body));
}

function themeOf(cookies: string | undefined): string | undefined {
  return new RegExp(`(?:^|;\\s*)${themeCookie}=(light|dark)(?:;|$)`).exec(cookies ?? "")?.[1];
}

function brandStyles({ name, accent }: Branding): string {
  const shades = accent === undefined ? [] : accentShades(accent);
  const properties = [
    ...shades.map((colour, index) => `--look-accent-${index}: ${colour};`),
    `--look-name: ${cssString(name)};`,
  ];
  return `\n:where(:root) {\n${properties.map((line) => `  ${line}\n`).join("")}}\n\n`;
}

/** Everything but letters, digits and spaces is escaped, so that the text cannot end early. */
function cssString(text: string): string {
  return `"${text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;
}
