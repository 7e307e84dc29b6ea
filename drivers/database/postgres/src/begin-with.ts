import pg from "pg";

/**
 * Begins a transaction with its first statement, in one round trip. Both are one unit of the extended protocol, so if `begin`
 * fails, the server skips the statement.
 */
export function beginWith<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  begin: string,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const config = { text, values, queryMode: "extended" };
    // The library returns one result for each command.
    const query = new pg.Query<Row>(config, (error, results: unknown) =>
      error ? reject(error) : resolve((results as readonly pg.QueryResult<Row>[])[1] as pg.QueryResult<Row>),
    );
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      connection.stream.cork();
      try {
        connection.parse({ name: "", text: begin, types: [] }, true);
        connection.bind({}, true);
        connection.execute({}, true);
        return submit(connection);
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
}
