/** The passwords of apps' logins begin with it, so that they are found in text and masked. */
export const databasePasswordPrefix = "appdb_";
