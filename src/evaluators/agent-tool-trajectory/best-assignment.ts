/**
 * The Hungarian method with potentials, O(rows² · columns). `weights` is row by row and must have no more rows than
 * columns. Returns the column of each row, such that the sum of the weights is the greatest possible.
 */
export function bestAssignment(weights: Float64Array, rows: number, columns: number): Int32Array {
  const rowPotential = new Float64Array(rows + 1)
  const columnPotential = new Float64Array(columns + 1)
  // Rows and columns count from 1 here; column 0 is the place from which each new row starts its search.
  const rowOf = new Int32Array(columns + 1)
  const cameFrom = new Int32Array(columns + 1)
  for (let row = 1; row <= rows; row++) {
    rowOf[0] = row
    let column = shortestPath(weights, columns, { rowOf, cameFrom, rowPotential, columnPotential })
    while (column !== 0) {
      const previous = cameFrom[column] as number
      rowOf[column] = rowOf[previous] as number
      column = previous
    }
  }
  const columnOf = new Int32Array(rows)
  for (let column = 1; column <= columns; column++) {
    const row = rowOf[column] as number
    if (row > 0) columnOf[row - 1] = column - 1
  }
  return columnOf
}

interface Matching {
  readonly rowOf: Int32Array
  readonly cameFrom: Int32Array
  readonly rowPotential: Float64Array
  readonly columnPotential: Float64Array
}

/** Finds a free column for the row at column 0 along the cheapest chain of exchanges, and keeps the potentials valid. */
function shortestPath(weights: Float64Array, columns: number, matching: Matching): number {
  const { rowOf, cameFrom, rowPotential, columnPotential } = matching
  const distance = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY)
  const isVisited = new Uint8Array(columns + 1)
  let column = 0
  do {
    isVisited[column] = 1
    const row = rowOf[column] as number
    const offset = (row - 1) * columns - 1
    const potential = rowPotential[row] as number
    let step = Number.POSITIVE_INFINITY
    let nearest = 0
    for (let other = 1; other <= columns; other++) {
      if (isVisited[other]) continue
      const cost = -(weights[offset + other] as number) - potential - (columnPotential[other] as number)
      if (cost < (distance[other] as number)) {
        distance[other] = cost
        cameFrom[other] = column
      }
      if ((distance[other] as number) < step) {
        step = distance[other] as number
        nearest = other
      }
    }
    for (let other = 0; other <= columns; other++) {
      if (isVisited[other]) {
        const visitedRow = rowOf[other] as number
        rowPotential[visitedRow] = (rowPotential[visitedRow] as number) + step
        columnPotential[other] = (columnPotential[other] as number) - step
      } else distance[other] = (distance[other] as number) - step
    }
    column = nearest
  } while (rowOf[column] !== 0)
  return column
}
