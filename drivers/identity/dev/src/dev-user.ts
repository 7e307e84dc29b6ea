import type { DevUser } from "@appserver/driver";

/** An administrator, a user who may view the notes, and a user without permissions. */
export const devUsers: readonly DevUser[] = [
  { id: "admin", displayName: "Ada Admin", email: "ada@example.com", about: "has every permission" },
  { id: "alice", displayName: "Alice Reader", email: "alice@example.com", about: "may read the notes" },
  { id: "bob", displayName: "Bob Guest", email: "bob@example.com", about: "has no permissions" },
];
