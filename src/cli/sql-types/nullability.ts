import { isNode, type Node, nodesIn, UNEXPECTED_TREE, type Value, walk } from './node-tree.ts'

/** Facts from PostgreSQL's catalog, by OID. */
export type Catalog = {
  /** NOT NULL columns, as `relation.number`. */
  readonly notNull: ReadonlySet<string>
  /** Functions that return null only for a null argument. Operators of jsonb are exceptions. */
  readonly strict: ReadonlySet<string>
  /** Operators that read a member of a jsonb value, which can be missing. */
  readonly accessors: ReadonlySet<string>
  /** Functions that never return null. */
  readonly total: ReadonlySet<string>
  /** Aggregates that return null only without rows. */
  readonly ofAnyRow: ReadonlySet<string>
}

const [RELATION, SUBQUERY, JOIN, FUNCTION, VALUES, CTE, GROUP] = ['0', '1', '2', '3', '5', '6', '9']
const [EXISTS_SUBLINK, EXPR_SUBLINK, ARRAY_SUBLINK] = ['0', '4', '6']
const [UPDATE, INSERT] = ['2', '3']
const IS_NOT_NULL = '1'

const list = (value: Value): Value[] => (Array.isArray(value) ? value : [])
const node = (value: Value): Node => {
  if (!isNode(value)) throw new Error(UNEXPECTED_TREE)
  return value
}

/** Returns the result columns of a query, in order. */
export function outputsOf(query: Node): Node[] {
  const entries = query.commandType === '1' ? query.targetList : query.returningList
  return nodesIn(entries).filter((entry) => entry.resjunk === 'false')
}

/**
 * Returns whether an expression can be null. Returns true if this is unknown. `queries`: its own query, then the
 * enclosing ones.
 */
function isNullable(value: Value, queries: readonly Node[], catalog: Catalog): boolean {
  const expr = node(value)
  const nullable = (part: Value) => isNullable(part, queries, catalog)
  const anyOf = (parts: Value) => list(parts).some(nullable)
  switch (expr.tag) {
    case 'VAR':
      return isColumnNullable(expr, queries, catalog)
    case 'CONST':
      return expr.constisnull === 'true'
    case 'RELABELTYPE':
    case 'COERCEVIAIO':
    case 'ARRAYCOERCEEXPR':
    case 'COLLATEEXPR':
      return nullable(expr.arg)
    case 'FUNCEXPR':
      return (
        !catalog.total.has(String(expr.funcid)) &&
        (!catalog.strict.has(String(expr.funcid)) || anyOf(expr.args))
      )
    case 'OPEXPR':
      return catalog.accessors.has(String(expr.opno)) || anyOf(expr.args)
    case 'SCALARARRAYOPEXPR':
    case 'BOOLEXPR':
      return anyOf(expr.args)
    case 'COALESCEEXPR':
    case 'MINMAXEXPR':
      return list(expr.args).every(nullable)
    case 'CASEEXPR':
      return nullable(expr.defresult) || nodesIn(expr.args).some((when) => nullable(when.result))
    case 'AGGREF': {
      if (catalog.total.has(String(expr.aggfnoid))) return false
      // A group has at least one row.
      const hasRows = nodesIn(queries[0]!.groupClause).length > 0 && !isNode(expr.aggfilter)
      return !(
        hasRows &&
        catalog.ofAnyRow.has(String(expr.aggfnoid)) &&
        !nodesIn(expr.args).some((a) => nullable(a.expr))
      )
    }
    case 'WINDOWFUNC':
      return !catalog.total.has(String(expr.winfnoid))
    case 'SUBLINK': {
      if (expr.subLinkType === EXISTS_SUBLINK || expr.subLinkType === ARRAY_SUBLINK) return false
      const query = node(expr.subselect)
      const hasOneRow = query.hasAggs === 'true' && query.groupClause === null
      if (expr.subLinkType !== EXPR_SUBLINK || !hasOneRow) return true
      return isNullable(outputsOf(query)[0]!.expr, [query, ...queries], catalog)
    }
    case 'NULLTEST':
    case 'BOOLEANTEST':
    case 'DISTINCTEXPR':
    case 'ARRAYEXPR':
    case 'SQLVALUEFUNCTION':
      return false
    default:
      return true
  }
}

function isColumnNullable(column: Node, queries: readonly Node[], catalog: Catalog): boolean {
  const around = queries.slice(Number(column.varlevelsup))
  if (isTested(column, around[0]!)) return false
  // Outer joins can make it null.
  if (list(column.varnullingrels).length > 1) return true
  return sourcesOf(column, around).some((source) => isSourceNullable(source, catalog))
}

function isSourceNullable(source: Source, catalog: Catalog): boolean {
  if ('expr' in source) return isNullable(source.expr, source.queries, catalog)
  return 'column' in source ? !catalog.notNull.has(source.column) : source.nullable
}

/** Returns whether the query excludes rows in which this column is null. */
function isTested({ varno, varattno }: Node, { jointree }: Node): boolean {
  const { quals } = isNode(jointree) ? jointree : { quals: null }
  const conditions =
    isNode(quals) && quals.tag === 'BOOLEXPR' && quals.boolop === 'and' ? quals.args : [quals]
  return nodesIn(conditions).some(
    ({ tag, nulltesttype, arg }) =>
      tag === 'NULLTEST' &&
      nulltesttype === IS_NOT_NULL &&
      isNode(arg) &&
      arg.varno === varno &&
      arg.varattno === varattno,
  )
}

type Source = { expr: Value; queries: readonly Node[] } | { column: string } | { nullable: boolean }

/** Returns the sources of a column's values: expressions of other queries, a table column (`relation.number`), or others. */
function sourcesOf(column: Node, around: readonly Node[]): Source[] {
  const table = nodesIn(around[0]!.rtable)[Number(column.varno) - 1]!
  const number = Number(column.varattno)
  switch (table.rtekind) {
    case RELATION:
      return [{ column: `${table.relid}.${number}` }]
    case SUBQUERY:
      return outputSources(node(table.subquery), number, around)
    case CTE: {
      const inside = around.slice(Number(table.ctelevelsup))
      const cte = nodesIn(inside[0]!.cteList).find(({ ctename }) => ctename === table.ctename)
      if (!cte || table.self_reference === 'true') return [{ nullable: true }]
      return outputSources(node(cte.ctequery), number, inside)
    }
    case JOIN:
      return [{ expr: list(table.joinaliasvars)[number - 1], queries: around }]
    case GROUP:
      return [{ expr: list(table.groupexprs)[number - 1], queries: around }]
    case VALUES:
      return list(table.values_lists).map((row) => ({ expr: list(row)[number - 1], queries: around }))
    case FUNCTION: {
      const columns = nodesIn(table.functions).reduce(
        (sum, { funccolcount }) => sum + Number(funccolcount),
        0,
      )
      return [{ nullable: !(table.funcordinality === 'true' && number === columns + 1) }]
    }
    default:
      return [{ nullable: true }]
  }
}

function outputSources(query: Node, number: number, around: readonly Node[]): Source[] {
  const queries = [query, ...around]
  if (!isNode(query.setOperations)) return [{ expr: outputsOf(query)[number - 1]?.expr, queries }]
  return nodesIn(query.rtable).flatMap(({ subquery }) =>
    isNode(subquery) ? outputSources(subquery, number, queries) : [{ nullable: true }],
  )
}

/** Returns whether the result column with this number can be null. */
export function isOutputNullable(query: Node, number: number, catalog: Catalog): boolean {
  return outputSources(query, number, []).some((source) => isSourceNullable(source, catalog))
}

/** Returns the table column (`relation.number`) that a result column reads unchanged. */
export function originOfOutput(query: Node, number: number): string | undefined {
  return commonOrigin(outputSources(query, number, []))
}

function commonOrigin(sources: Source[]): string | undefined {
  const origins = sources.map((source) => {
    if ('expr' in source) return originOf(source.expr, source.queries)
    return 'column' in source ? source.column : undefined
  })
  return origins.every((origin) => origin === origins[0]) ? origins[0] : undefined
}

function originOf(value: Value, queries: readonly Node[]): string | undefined {
  if (!isNode(value) || value.tag !== 'VAR') return
  return commonOrigin(sourcesOf(value, queries.slice(Number(value.varlevelsup))))
}

/**
 * Returns the numbers of the parameters that must not be null. They are written to a NOT NULL column, compared in a
 * condition, or unnested. In the last two cases, null would silently select nothing.
 */
export function requiredParams(statement: Node, catalog: Catalog): Set<number> {
  const required = new Set<number>()
  for (const query of walk(statement))
    if (query.tag === 'QUERY') {
      for (const { table, column, expr } of writesOf(query))
        if (catalog.notNull.has(`${table}.${column}`)) require(expr, query)
      for (const part of walk(query.jointree))
        if (part.tag === 'FROMEXPR' || part.tag === 'JOINEXPR') compare(part.quals)
      compare(query.havingQual)
      for (const table of nodesIn(query.rtable))
        for (const { funcexpr } of nodesIn(table.functions)) require(funcexpr, query)
    }
  return required

  /** Follows expressions that are null when their argument is null. */
  function require(value: Value, query: Node): void {
    if (!isNode(value)) return
    if (value.tag === 'PARAM') required.add(Number(value.paramid))
    else if (['RELABELTYPE', 'COERCEVIAIO', 'ARRAYCOERCEEXPR', 'COLLATEEXPR'].includes(value.tag))
      require(value.arg, query)
    else if (value.tag === 'OPEXPR' || (value.tag === 'FUNCEXPR' && catalog.strict.has(String(value.funcid))))
      for (const arg of list(value.args)) require(arg, query)
    else if (value.tag === 'VAR' && value.varlevelsup === '0') {
      // INSERT ... SELECT reads its values from a subquery.
      const table = nodesIn(query.rtable)[Number(value.varno) - 1]
      if (table?.rtekind !== SUBQUERY || !isNode(table.subquery)) return
      require(outputsOf(table.subquery)[Number(value.varattno) - 1]?.expr, table.subquery)
    }
  }
  function compare(value: Value): void {
    if (!isNode(value)) return
    if (value.tag === 'BOOLEXPR') for (const arg of list(value.args)) compare(arg)
    else if (value.tag === 'OPEXPR' || value.tag === 'SCALARARRAYOPEXPR')
      for (const arg of list(value.args)) require(arg, { tag: 'QUERY' })
    else if (value.tag === 'PARAM') required.add(Number(value.paramid))
  }
}

/** Returns the numbers of the parameters that a statement tests for null. */
export function testedParams(statement: Node): Set<number> {
  const tested = new Set<number>()
  for (const { tag, arg, args } of walk(statement))
    for (const value of tag === 'NULLTEST' ? [arg] : tag === 'COALESCEEXPR' ? list(args) : [])
      if (isNode(value) && value.tag === 'PARAM') tested.add(Number(value.paramid))
  return tested
}

/** Returns the expressions that an INSERT or UPDATE writes, with their columns. */
function writesOf(query: Node): { table: Value; column: Value; expr: Value }[] {
  if (query.commandType !== INSERT && query.commandType !== UPDATE) return []
  const table = nodesIn(query.rtable)[Number(query.resultRelation) - 1]!.relid
  const conflict = isNode(query.onConflict) ? nodesIn(query.onConflict.onConflictSet) : []
  return [...nodesIn(query.targetList), ...conflict]
    .filter((entry) => entry.resjunk === 'false')
    .map(({ resno, expr }) => ({ table, column: resno, expr }))
}
