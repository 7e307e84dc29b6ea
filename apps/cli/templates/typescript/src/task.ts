/** A task, as the API sends it. The page uses the same types. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly details: string;
  /** The id of a user, or the name of an app. */
  readonly createdBy: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Absent while the task is open. */
  readonly doneAt?: string;
}

export interface NewTask {
  readonly title: string;
  readonly details: string;
}

export const maxTitle = 100;
export const maxDetails = 2_000;
/** How many tasks the list has. */
export const maxTasks = 200;
