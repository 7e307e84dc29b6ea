export interface DevUser {
  readonly id: string;
  readonly displayName: string;
}

/** An administrator, somebody who may look at the notes, and somebody who may do nothing. */
export const devUsers: readonly DevUser[] = [
  { id: "admin", displayName: "Ada Admin" },
  { id: "alice", displayName: "Alice Reader" },
  { id: "bob", displayName: "Bob Nobody" },
];
