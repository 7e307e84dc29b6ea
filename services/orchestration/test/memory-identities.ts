import type { IdentityOwner } from "../src/domain/workload-identity.ts";
import type { CertificateRenewal, ContainerFile, WorkloadIdentities, Writer } from "../src/ports.ts";

/** Identities by generation. A key is the number of the call that made it. */
export class MemoryIdentities implements WorkloadIdentities {
  readonly keys = new Map<number, string>();
  readonly ends = new Map<number, Date>();
  /** When new certificates end. */
  nextEnd: Date = new Date(8_640_000_000_000_000);
  /** Throws after the call with this number (from 1), to simulate a kill between two steps. */
  killAfterCall = 0;
  calls = 0;

  async issue(_: Writer, { generation }: IdentityOwner): Promise<readonly ContainerFile[]> {
    const key = String(this.calls + 1);
    this.keys.set(generation, key);
    this.ends.set(generation, this.nextEnd);
    this.#end();
    return [
      { name: "key.pem", text: key },
      { name: "certificate.pem", text: this.nextEnd.toISOString() },
    ];
  }

  async certificateEnd({ generation }: IdentityOwner): Promise<Date | undefined> {
    return this.ends.get(generation);
  }

  async renewal(): Promise<CertificateRenewal> {
    return { files: [{ name: "certificate.pem", text: this.nextEnd.toISOString() }], endsAt: this.nextEnd };
  }

  async renewed(_: Writer, { generation }: IdentityOwner, endsAt: Date): Promise<void> {
    this.ends.set(generation, endsAt);
    this.#end();
  }

  #end(): void {
    this.calls += 1;
    if (this.calls === this.killAfterCall) throw new Error("killed");
  }
}
