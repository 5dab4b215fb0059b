/** Returns indexes below `count`; the first is drawn about 10 times as often as the tenth, and so on. */
export const zipfFrom = (random: () => number, count: number) => {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const cumulated: Array<number> = []
  weights.reduce((sum, weight) => {
    cumulated.push(sum + weight / total)
    return sum + weight / total
  }, 0)
  return () => {
    const wanted = random()
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((cumulated[middle] ?? 1) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
