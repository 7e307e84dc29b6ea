/** The app that a database belongs to. */
export interface DatabaseOwner {
  readonly appId: string;
  readonly appName: string;
}

/** What one deployment of an app logs in with. */
export interface DatabaseLogin {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Begins with `databasePasswordPrefix`. */
  readonly password: string;
}

/** The size of an app's database. */
export interface DatabaseSize {
  /** Of the database. */
  readonly name: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Whether it is larger than its limit. Then its app gets no connections. */
  readonly isFull: boolean;
}

/** The copy of a database. */
export interface DatabaseCopy {
  readonly name: string;
  readonly usedBytes: number;
}

/**
 * A database for each app, which outlives its containers, and a login for each generation, which does not. A login reaches only
 * the database of its app. Every method may be repeated, also after a process died in the middle of it.
 */
export interface AppDatabases {
  /** Where apps reach their databases. */
  readonly address: Pick<DatabaseLogin, "host" | "port">;
  /** Creates the database unless it exists. Returns the login of the generation, with a new password. */
  open(owner: DatabaseOwner, generation: number): Promise<DatabaseLogin>;
  /** Deletes the login of the generation and ends its sessions. What it created belongs to the app and stays. */
  close(owner: DatabaseOwner, generation: number): Promise<void>;
  /** Deletes the database with all its data, and every login. */
  remove(owner: DatabaseOwner): Promise<void>;
  /** Returns the name of the database of an app, whether it exists or not. */
  nameOf(owner: DatabaseOwner): string;
  /**
   * Measures every database and returns their sizes. If one is larger than the limit, the sessions of its app end, and its logins,
   * those of later generations included, get no connections until a later call finds that it is not.
   */
  limitSizes(): Promise<readonly DatabaseSize[]>;
  /**
   * Copies the database of an app on the same server, in place of an earlier copy with this id. Its sessions end first, and the app gets
   * none until the copy is complete. Returns undefined if the app has no database. Rejects after `timeoutMs` without a copy.
   */
  copy(owner: DatabaseOwner, copyId: string, timeoutMs: number): Promise<DatabaseCopy | undefined>;
  /**
   * Replaces the database of an app by a copy of the copy, which stays. The app has either the old or the new one, never a part of
   * it. `from`: the app that the copy was made of. Its sessions must have ended. Rejects if there is no such copy.
   */
  restoreCopy(owner: DatabaseOwner, copyId: string, from: DatabaseOwner): Promise<void>;
  /** Deletes a copy. Succeeds if there is none. */
  removeCopy(copyId: string): Promise<void>;
  /** Returns the name of the database with this copy, whether it exists or not. */
  nameOfCopy(copyId: string): string;
}
