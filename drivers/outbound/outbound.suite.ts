import { outboundAddressesSuite } from "./outbound-addresses.suite.ts";
import type { OpenOutbound } from "./outbound-fixture.ts";
import { outboundInstancesSuite } from "./outbound-instances.suite.ts";
import { outboundPostsSuite } from "./outbound-posts.suite.ts";
import { outboundProbesSuite } from "./outbound-probes.suite.ts";
import { outboundRepeatsSuite } from "./outbound-repeats.suite.ts";
import { outboundUpstreamsSuite } from "./outbound-upstreams.suite.ts";

/** Declares the tests that every driver of the family must pass. */
export function outboundSuite(name: string, open: OpenOutbound): void {
  outboundUpstreamsSuite(name, open);
  outboundInstancesSuite(name, open);
  outboundRepeatsSuite(name, open);
  outboundPostsSuite(name, open);
  outboundProbesSuite(name, open);
  outboundAddressesSuite(name, open);
}
