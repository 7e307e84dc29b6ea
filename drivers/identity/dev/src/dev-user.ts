export interface DevUser {
  readonly id: string;
  readonly displayName: string;
}

/** An administrator, a user who may view the notes, and a user without permissions. */
export const devUsers: readonly DevUser[] = [
  { id: "admin", displayName: "Ada Admin" },
  { id: "alice", displayName: "Alice Reader" },
  { id: "bob", displayName: "Bob Guest" },
];
