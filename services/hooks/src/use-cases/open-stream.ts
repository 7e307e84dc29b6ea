import { AppError, type Call, type Caller, invalidField } from "@appserver/kernel";
import { checkHookName } from "../domain/hook-name.ts";
import type { HookStream, HookStreams } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { permittedSources, requireSources } from "./hook-sources.ts";

export interface SubscribeCommand {
  /** Empty: every hook of the app. */
  readonly hookNames: readonly string[];
  /** Default 10, at most 1000. */
  readonly maxInFlight: number | undefined;
}

const inFlight = { default: 10, most: 1_000 } as const;
const maxHookNames = 100;

/**
 * Opens a stream of the calling app. Throws INVALID_REQUEST, AUTHENTICATION_REQUIRED, and PERMISSION_DENIED if the caller is
 * not an app or lacks the permission for one of the hooks.
 */
export async function openStream(
  context: HooksContext & { readonly streams: HookStreams },
  command: SubscribeCommand,
  { caller }: Call,
): Promise<HookStream> {
  const { hookNames, maxInFlight = inFlight.default } = command;
  const appName = appOf(caller);
  if (hookNames.length > maxHookNames) throw invalidField("hook_names", `must be at most ${maxHookNames}`);
  for (const [index, name] of hookNames.entries()) checkHookName(name, `hook_names[${index}]`);
  if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > inFlight.most)
    throw invalidField("max_in_flight", `must be 1 to ${inFlight.most}, got ${maxInFlight}`);
  const named = hookNames.length === 0 ? undefined : [...new Set(hookNames)];
  const sources = await permittedSources(context, appName, named ?? []);
  await requireSources(context, appName, sources);
  return context.streams.open({ appName, hookNames: named }, maxInFlight, sources);
}

function appOf(caller: Caller): string {
  if (caller.kind === "app") return caller.name;
  if (caller.kind === "anonymous") throw new AppError("AUTHENTICATION_REQUIRED", "a subscription requires a signed request");
  throw new AppError("PERMISSION_DENIED", "only apps subscribe");
}
