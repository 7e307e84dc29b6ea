import type { DevUser } from "@appserver/driver";

/** An administrator, a user who may view the notes, and a user without permissions. */
export const devUsers: readonly DevUser[] = [
  { id: "admin", displayName: "Ada Admin", about: "has every permission" },
  { id: "alice", displayName: "Alice Reader", about: "may read the notes" },
  { id: "bob", displayName: "Bob Guest", about: "has no permissions" },
];
