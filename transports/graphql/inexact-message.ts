import { inexactNumberPath } from "@appserver/contracts/json";
import type { GraphQLError } from "graphql";
import { inexactNumber } from "../json-input.ts";
import { requestError } from "./graphql-errors.ts";

/**
 * Returns the operation of a message of a WebSocket and its refusal, if the message contains a number that would change. Returns
 * undefined for any other text, also for one that is not a message.
 */
export function inexactMessage(text: string): { readonly id: string; readonly error: GraphQLError } | undefined {
  const path = inexactNumberPath(text);
  if (path === undefined) return undefined;
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    if (typeof id !== "string") return undefined;
    return { id, error: requestError(inexactNumber(path.replace(/^payload\./, ""))) };
  } catch {
    return undefined;
  }
}
