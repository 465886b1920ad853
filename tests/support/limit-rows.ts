import type pg from 'pg'

/** Maximum number of rows per statement of batched work. */
const MAX_ROWS = 2_000

/**
 * Fails each statement that updates or deletes more rows of the table than a batch has. Returns a function that ends
 * this, for tests that share the database with others.
 */
export async function limitRows(
  db: pg.Pool,
  event: 'UPDATE' | 'DELETE',
  table: string,
): Promise<() => Promise<void>> {
  const name = `limit_rows_of_${table}`
  await db.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM old_rows) > ${MAX_ROWS} THEN RAISE 'too many rows in one statement'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
  return async () => {
    await db.query(`DROP FUNCTION ${name} CASCADE`)
  }
}
