export interface DevUser {
  readonly id: string;
  readonly displayName: string;
  /** What the user may do, as the end of a sentence that begins with the name. */
  readonly about: string;
}

/** An administrator, a user who may view the notes, and a user without permissions. */
export const devUsers: readonly DevUser[] = [
  { id: "admin", displayName: "Ada Admin", about: "has every permission" },
  { id: "alice", displayName: "Alice Reader", about: "may read the notes" },
  { id: "bob", displayName: "Bob Guest", about: "has no permissions" },
];
