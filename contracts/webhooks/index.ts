export * from "./run-post.ts";
export * from "./signed-post.ts";
export * from "./standard-webhooks.ts";
