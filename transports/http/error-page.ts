import type { RequestHead } from "@appserver/kernel";
import { pagePolicy, plainPage } from "./plain-page.ts";
import { securityHeaders } from "./security-headers.ts";

/** What an error page says of an error. */
export interface PageError {
  readonly status: number;
  /** `details.reason` of the error. */
  readonly reason?: unknown;
  /** Of an error that ends by itself. */
  readonly retryAfter?: number | undefined;
  /** Further links. HTML. */
  readonly links?: string;
}

export interface ErrorPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** Paths of programs, whose errors are JSON whatever the client accepts. */
const apis = /^\/(?:api|graphql|health|ready|metrics)(?:[/?]|$)/;
/** What browsers do with a response that they show (https://www.w3.org/TR/fetch-metadata/). */
const shown = new Set(["document", "iframe", "frame"]);

/** Returns whether a browser is going to show the response: it names `text/html` itself, and the path is none of an API. */
export function wantsPage(request: RequestHead): boolean {
  const { method, target } = request;
  if ((method !== "GET" && method !== "HEAD") || apis.test(target)) return false;
  const destination = request.header("sec-fetch-dest");
  if (destination !== undefined && !shown.has(destination)) return false;
  return (request.header("accept") ?? "").split(",").some((each) => {
    const [type = "", ...parameters] = each.split(";");
    return type.trim().toLowerCase() === "text/html" && !parameters.some((text) => /^\s*q=0(?:\.0*)?\s*$/i.test(text));
  });
}

/** Returns the page that a browser shows in place of an error (docs/interface/errors.md#pages). */
export function errorPage(error: PageError): ErrorPage {
  const { title, text } = wordsOf(error);
  const home = error.status === 503 ? "" : `<a href="/">Go to the home page</a>`;
  const links = [error.links ?? "", home].filter(Boolean).join("\n    ");
  const refresh = error.retryAfter === undefined ? {} : { refreshAfter: error.retryAfter };
  const html = plainPage({
    title,
    content: `<p>${text}</p>${links && `\n  <nav>\n    ${links}\n  </nav>`}`,
    ...refresh,
  });
  return {
    headers: {
      ...securityHeaders,
      "content-security-policy": pagePolicy("'none'"),
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      vary: "Accept",
    },
    html,
  };
}

/** Says the error without its message, which is for programs and may quote what the client sent. */
function wordsOf({ status, reason }: PageError): { readonly title: string; readonly text: string } {
  const again = "This page loads itself again.";
  if (reason === "app_starting") return { title: "This app is starting", text: `The platform starts it now. ${again}` };
  if (reason === "app_failed")
    return { title: "This app did not start", text: "The people who run the platform can see the reason. Try again later." };
  if (reason === "starting") return { title: "The platform is starting", text: `It is ready in a moment. ${again}` };
  if (status === 404) return { title: "There is no such page", text: "Nothing has this address. A link may be out of date." };
  if (status === 401)
    return { title: "You are not signed in", text: "Sign in on the home page, then open this address again." };
  if (status === 403)
    return {
      title: "You may not see this page",
      text: "Your account lacks a permission. On the home page you can ask for it.",
    };
  if (status === 429) return { title: "Too many requests", text: "Wait a moment, then load this page again." };
  if (status === 503)
    return { title: "This page is not available now", text: `A part of the platform does not respond. ${again}` };
  if (status >= 500)
    return { title: "This page has failed", text: "The cause is in the log of the platform. Try again later." };
  return { title: "This page cannot be shown", text: "The address or the request has an error." };
}
