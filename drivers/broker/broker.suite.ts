import { after, before, describe } from "node:test";
import { deliveryTests } from "./broker-delivery.suite.ts";
import { failureTests } from "./broker-failures.suite.ts";
import type { BrokerFixture, BrokerHarness, OpenBroker } from "./broker-fixture.ts";
import { observerTests } from "./broker-observers.suite.ts";
import { sharingTests } from "./broker-sharing.suite.ts";

/** Declares the tests that every driver of the broker family must pass. */
export function brokerSuite(name: string, createHarness: () => Promise<BrokerHarness>, skip: string | false = false): void {
  describe(`broker contract: ${name}`, { timeout: 60_000, skip }, () => {
    let fixture: BrokerFixture;
    const opened: OpenBroker[] = [];
    before(async () => {
      const harness = await createHarness();
      const open = async (): Promise<OpenBroker> => {
        const client = await harness.open();
        opened.push(client);
        return client;
      };
      let tests = 0;
      const fresh: BrokerFixture["fresh"] = () => {
        const prefix = `suite${++tests}.subscriber.`;
        const type = `suite${tests}.happened`;
        return { prefix, type, queue: prefix + type };
      };
      fixture = { harness, open, fresh, broker: await open() };
    });
    after(async () => {
      for (const client of opened) await client.stop();
      await fixture?.harness.close();
    });

    for (const declare of [deliveryTests, failureTests, sharingTests, observerTests]) declare(() => fixture);
  });
}
