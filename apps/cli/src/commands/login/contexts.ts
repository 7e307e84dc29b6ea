import type { Contexts } from "../../contexts.ts";
import { print, printJson } from "../../output.ts";
import { renderTable } from "../../table.ts";
import { UsageError } from "../../usage-error.ts";

/** Prints the stored platforms without their tokens. */
export function listContexts(isJson: boolean, contexts: Contexts): void {
  const { current } = contexts;
  const all = contexts.all().map(([name, { http, grpc, token }]) => ({
    ...{ name, isCurrent: name === current, http, grpc },
    isSignedIn: token !== undefined,
  }));
  const rows = all.map(({ name, isCurrent, http, grpc, isSignedIn }) => {
    return [isCurrent ? "*" : "", name, http, grpc, isSignedIn ? "yes" : "no"];
  });
  if (isJson) printJson(all);
  else if (rows.length === 0) print("no contexts are stored; `appctl login URL` stores one");
  else print(renderTable(["", "NAME", "HTTP", "GRPC", "SESSION"], rows));
}

/** Forgets the token of the context in use. */
export function logOut(contexts: Contexts): void {
  const { current } = contexts;
  const context = contexts.find();
  if (current === undefined || !context) throw new UsageError("no context is in use; `appctl context list` shows them");
  const { token: _forgotten, ...rest } = context;
  contexts.save(current, rest);
  print(`the session of ${current} is forgotten`);
}
