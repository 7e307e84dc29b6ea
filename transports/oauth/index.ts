export { type AgentSignInOptions, createAgentSignIn } from "./agent-sign-in.ts";
