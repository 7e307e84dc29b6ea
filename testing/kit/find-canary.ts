import type { SqlExecutor } from "@appserver/kernel/ports";

/** Texts and bytes to search, by the name of their source. */
export type SearchedTexts = Readonly<Record<string, string | Uint8Array>>;

/**
 * Names of the texts that hold the canary: plain, percent-encoded, escaped as JSON, or in hex or base64 at any alignment.
 * The canary has at least eight characters, so that nothing matches by chance.
 */
export function findCanary(canary: string, texts: SearchedTexts): readonly string[] {
  if (canary.length < 8) throw new RangeError("a canary needs eight characters");
  const forms = formsOf(canary);
  return Object.entries(texts)
    .filter(([, content]) => {
      const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
      const lower = text.toLowerCase();
      return forms.exact.some((needle) => text.includes(needle)) || forms.anyCase.some((needle) => lower.includes(needle));
    })
    .map(([name]) => name);
}

function formsOf(canary: string): { readonly exact: readonly string[]; readonly anyCase: readonly string[] } {
  const bytes = Buffer.from(canary, "utf8");
  return {
    exact: [canary, bytes.toString("latin1"), JSON.stringify(canary).slice(1, -1), ...base64Forms(bytes)],
    anyCase: [bytes.toString("hex"), encodeURIComponent(canary).toLowerCase()],
  };
}

/** As it appears inside a longer text: its first and last digits depend on the surrounding text and are omitted. */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = offset === 0 ? 0 : offset + 1;
    const text = padded.toString("base64").replaceAll("=", "");
    const inner = text.slice(from, padded.length % 3 === 0 ? undefined : -1);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Every row of every table of a database, as text, by `<schema>.<table>`. */
export async function dumpTables(sql: SqlExecutor): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await sql.query<{ name: string; quoted: string }>(
    `select schemaname || '.' || tablename as name, format('%I.%I', schemaname, tablename) as quoted from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const dump: Record<string, string> = {};
  for (const { name, quoted } of tables) {
    const { rows } = await sql.query<{ text: string }>(`select t::text as text from ${quoted} t`);
    dump[name] = rows.map(({ text }) => text).join("\n");
  }
  return dump;
}
