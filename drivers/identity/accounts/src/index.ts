export { openAccounts } from "./accounts.ts";
export { accountsMigrations } from "./accounts-migrations.ts";
