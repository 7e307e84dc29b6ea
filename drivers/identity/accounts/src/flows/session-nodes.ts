import type { FlowNode } from "@appserver/contracts/sign-in";
import type { ListedSession } from "../sessions/session-table.ts";
import { button } from "./form.ts";

/** Returns the part of the settings that lists sessions and ends them. */
export function sessionNodes(all: readonly ListedSession[], ownId: string): readonly FlowNode[] {
  const group = "sessions";
  const [own, others] = [all.find(({ id }) => id === ownId), all.filter(({ id }) => id !== ownId)];
  const here: FlowNode = {
    type: "text",
    group,
    attributes: { id: "session_here", text: { text: own ? placeOf(own) : "the one that began just now" } },
    messages: [],
    meta: { label: { text: "This session" } },
  };
  const ends = others.map((each) => button(group, `End: ${placeOf(each)}`, "session_end", each.id));
  return [
    here,
    ...ends,
    ...(others.length > 0 ? [button(group, "End all other sessions", "sessions_end_others", "true")] : []),
  ];
}

function placeOf({ device, network, usedAt }: ListedSession): string {
  return `${device}, ${network}, used ${usedAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
