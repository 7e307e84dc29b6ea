/**
 * The numbers of PostgreSQL's advisory locks that the platform takes, the same in every process. All of one database share
 * one number space: two uses of one number would wait for each other.
 */
export const advisoryLocks = {
  migrations: 7_203_114_905,
  outboxRelay: 7_203_114_906,
  authorizationBootstrap: 7_203_114_907,
} as const;
