export { AcmeAgent } from "./acme-agent.ts";
