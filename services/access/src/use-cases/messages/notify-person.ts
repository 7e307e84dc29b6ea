import { notifyPermission } from "@appserver/contracts/authorization";
import { characterCount } from "@appserver/contracts/patterns";
import {
  AppError,
  type Call,
  type Clock,
  invalidField,
  lineProblem,
  type Permissions,
  requirePermission,
  textProblem,
  uuidv7,
} from "@appserver/kernel";
import type { AppMessages, AppPages, Cache, Database, IdentityProvider } from "../../ports.ts";
import { isReadableCaller } from "../check-own-permissions.ts";

export interface NotifyContext {
  readonly identity: Pick<IdentityProvider, "find">;
  readonly permissions: Permissions;
  readonly database: Pick<Database, "transaction">;
  readonly messages: Pick<AppMessages, "add">;
  readonly pages: AppPages;
  /** Counts what apps send. */
  readonly cache: Pick<Cache, "slidingWindow">;
  readonly clock: Pick<Clock, "now">;
}

/** Empty texts are absent. */
export interface SentMessage {
  readonly userId: string;
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

/** What is kept of a person's messages. */
export const keptMessages = { all: 200, unread: 100 } as const;
const maxTitle = 100;
const maxText = 500;
const maxPath = 500;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const perApp = { limit: 60, windowMs: minuteMs };
const perPerson = { limit: 20, windowMs: hourMs };

/**
 * Stores a message of the calling app to a person, and returns its id. Needs `people:notify`. Throws INVALID_REQUEST for a text or path
 * that is not valid, NOT_FOUND unless the person exists and may open a page of the app, and RATE_LIMIT_EXCEEDED after 60 messages of the
 * app in a minute, or 20 of them to the same person in an hour.
 */
export async function notifyPerson(context: NotifyContext, sent: SentMessage, call: Call): Promise<string> {
  const { caller } = call;
  await requirePermission(context.permissions, call, notifyPermission);
  if (caller.kind !== "app") throw new AppError("PERMISSION_DENIED", "only an app can send messages to people");
  const { userId, title, text } = checkedTexts(sent);
  const person = { kind: "user", id: userId, displayName: "" } as const;
  if (!isReadableCaller(person)) throw invalidField("userId", "must be the id of a user, as the app received it");
  await requireRoom(context, caller.name, userId);
  const routeBase = await context.pages.openTo(caller.name, { ...call, caller: person });
  const found = routeBase === undefined ? [] : await context.identity.find({ ids: [userId] });
  if (routeBase === undefined || !found.some((each) => each.userId === userId && each.isActive !== false))
    throw new AppError("NOT_FOUND", `there is no person ${userId} who can sign in and may open a page of ${caller.name}`);
  const path = checkedPath(sent.path, routeBase);
  const message = { id: uuidv7(), userId, appName: caller.name, title, text, path, sentAt: new Date(context.clock.now()) };
  await context.database.transaction((tx) => context.messages.add(tx, message, keptMessages));
  return message.id;
}

function checkedTexts({ userId, title, text }: SentMessage) {
  const line = title.trim();
  const length = characterCount(line);
  if (length < 1 || length > maxTitle) throw invalidField("title", `must have 1 to ${maxTitle} characters, got ${length}`);
  const problem = lineProblem(line);
  if (problem !== undefined) throw invalidField("title", problem);
  const whole = text.trim();
  if (characterCount(whole) > maxText)
    throw invalidField("text", `must have at most ${maxText} characters, got ${characterCount(whole)}`);
  const textual = textProblem(whole);
  if (textual !== undefined) throw invalidField("text", textual);
  return { userId, title: line, text: whole === "" ? undefined : whole };
}

/** Returns the path as browsers read it, so that no `..` leads out of the app's pages. */
function checkedPath(path: string, routeBase: string): string {
  const base = routeBase.replace(/\/+$/, "");
  if (path === "") return base;
  if (path.length > maxPath) throw invalidField("path", `must have at most ${maxPath} characters, got ${path.length}`);
  const origin = "https://platform.invalid";
  const url = path.startsWith("/") && !/[\p{Cc}\\]/u.test(path) ? URL.parse(path, origin) : null;
  const isBelow = url?.origin === origin && (url.pathname === base || url.pathname.startsWith(`${base}/`));
  if (!url || !isBelow) throw invalidField("path", `must be ${base}, the route base of the app, or a path below it`);
  return `${url.pathname}${url.search}${url.hash}`;
}

async function requireRoom({ cache }: NotifyContext, appName: string, userId: string): Promise<void> {
  const counted = [
    [`messages:app:${appName}`, perApp, `${appName} has sent ${perApp.limit} messages in the last minute`],
    [
      `messages:person:${appName}:${userId}`,
      perPerson,
      `${appName} has sent ${perPerson.limit} messages to ${userId} in the last hour`,
    ],
  ] as const;
  for (const [key, window, message] of counted) {
    const { allowed, resetMs } = await cache.slidingWindow(key, [window]);
    const details = {
      limit: window.limit,
      window: window.windowMs / 1_000,
      retry_after: Math.max(1, Math.ceil(resetMs / 1_000)),
    };
    if (!allowed) throw new AppError("RATE_LIMIT_EXCEEDED", message, { details });
  }
}
