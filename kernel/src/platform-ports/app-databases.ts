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
}
