import type { Contexts } from "../../contexts.ts";
import { failureText } from "../../failure.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { readJson } from "../../http.ts";
import { note, print, printJson } from "../../output.ts";
import { renderTable } from "../../table.ts";
import { UsageError } from "../../usage-error.ts";

/** Prints the stored platforms without their tokens. */
export function listContexts(isJson: boolean, contexts: Contexts): void {
  const { current } = contexts;
  const all = contexts.all().map(([name, { http, grpc, token }]) => ({
    name,
    isCurrent: name === current,
    http,
    grpc: grpc ?? http,
    isSignedIn: token !== undefined,
  }));
  const rows = all.map(({ name, isCurrent, http, grpc, isSignedIn }) => {
    return [isCurrent ? "*" : "", name, http, grpc, isSignedIn ? "yes" : "no"];
  });
  if (isJson) printJson(all);
  else if (rows.length === 0) print("no contexts are stored; `appctl login URL` stores one");
  else print(renderTable(["", "NAME", "HTTP", "GRPC", "SESSION"], rows));
}

/** Forgets the token of the context in use, and ends its session unless `forget` is given. */
export async function logOut(contexts: Contexts, { forget }: { readonly forget: boolean }): Promise<void> {
  const { current } = contexts;
  const context = contexts.find();
  if (current === undefined || !context) throw new UsageError("no context is in use; `appctl context list` shows them");
  const { token, ...rest } = context;
  const isEnded = token !== undefined && !forget && (await hasEnded({ grpc: context.http, ...context, json: false }));
  contexts.save(current, rest);
  print(
    isEnded
      ? `the session of ${current} is ended, also in the browser that gave it`
      : `the session of ${current} is forgotten here; a copy of it is valid until it expires`,
  );
}

/** Ends the session. Returns whether it has ended. The token is removed also if the platform does not respond. */
async function hasEnded(options: GlobalOptions): Promise<boolean> {
  try {
    await readJson<unknown>(options, "/console/sign-out", "");
    return true;
  } catch (error) {
    note(`appctl: ${options.http} did not end the session: ${failureText(error, options)}`);
    return false;
  }
}
