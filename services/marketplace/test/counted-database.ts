import type { Database, SqlExecutor } from "@appserver/kernel/ports";

/** Returns the database, with `onStatement` called for each statement, in transactions as well. */
export function countedDatabase(database: Database, onStatement: () => void): Database {
  const counted = <Executor extends SqlExecutor>(executor: Executor): Executor =>
    new Proxy(executor, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "query") onStatement();
        return member.bind(target) as unknown;
      },
    });
  return new Proxy(counted(database), {
    get: (target, name) => {
      if (name !== "transaction") return Reflect.get(target, name, target) as unknown;
      const transaction: Database["transaction"] = (work, options) => database.transaction((tx) => work(counted(tx)), options);
      return transaction;
    },
  });
}
