// Frames of a flame graph: in preorder, each with its depth and its own joules in each run; the first is the whole.
const FAINTEST = 0.12;

class Frames {
  constructor(data) {
    Object.assign(this, data); // names, kinds, kind [names], runs, name [frames], depth [frames], own [runs][frames]
    this.count = data.name.length;
    this.parent = new Int32Array(this.count);
    this.after = new Int32Array(this.count).fill(this.count); // the first frame that is not within this one
    const open = [];
    for (let one = 0; one < this.count; one++) {
      while (open.length > data.depth[one]) this.after[open.pop()] = one;
      this.parent[one] = open.at(-1) ?? -1;
      open.push(one);
    }
    this.totals = data.own.map((own) => this.summed(own));
    this.compares = data.own.length > 1;
    this.largest = this.compares ? this.largestDifference() : 0;
    this.arrange(data.own.length - 1);
  }

  // With all that it calls.
  summed(own) {
    const total = Float64Array.from(own);
    for (let one = this.count - 1; one > 0; one--) total[this.parent[one]] += total[one];
    return total;
  }

  difference(frame) {
    return this.own[1][frame] - this.own[0][frame];
  }

  // From -1 to 1: the root, so that small differences are seen; 0 where it is too small to be.
  weight(frame) {
    const found = this.difference(frame), share = Math.sqrt(Math.abs(found) / (this.largest || 1));
    return share < FAINTEST ? 0 : Math.sign(found) * share;
  }

  largestDifference() {
    let found = 0;
    for (let one = 0; one < this.count; one++) found = Math.max(found, Math.abs(this.difference(one)));
    return found;
  }

  // Side by side within their parent, as wide as the joules of this run.
  arrange(run) {
    this.total = this.totals[run];
    this.start = new Float64Array(this.count);
    const filled = new Float64Array(this.count);
    for (let one = 1; one < this.count; one++) {
      const parent = this.parent[one];
      this.start[one] = this.start[parent] + filled[parent];
      filled[parent] += this.total[one];
    }
  }

  *above(frame) {
    for (let one = this.parent[frame]; one >= 0; one = this.parent[one]) yield one;
  }

  *below(frame) {
    for (let one = frame + 1; one < this.after[frame]; one = this.after[one]) yield one;
  }

  beside(frame, way) {
    if (frame === 0) return frame;
    const several = [...this.below(this.parent[frame])].filter((one) => this.total[one] > 0 || one === frame);
    return several[several.indexOf(frame) + way] ?? frame;
  }

  widest(frame) {
    let found = frame;
    for (const one of this.below(frame)) if (found === frame || this.total[one] > this.total[found]) found = one;
    return found;
  }

  // The outermost frames whose function fits, so that no joule is counted twice.
  *fitting(fits) {
    for (let one = 0; one < this.count; one = fits[this.name[one]] ? this.after[one] : one + 1) {
      if (fits[this.name[one]]) yield one;
    }
  }

  // Rows of [frame, left, width] in pixels, with `zoomed` as wide as all. What is narrower than a pixel is not parted:
  // neighbours of that kind are one piece, whose frame is -1.
  rows(zoomed, width) {
    const found = [], scale = width / (this.total[zoomed] || 1), from = this.start[zoomed];
    const row = (depth) => (found[depth] ??= []);
    for (const one of this.above(zoomed)) row(this.depth[one]).push([one, 0, width]);
    for (let one = zoomed; one < this.after[zoomed]; ) {
      const left = (this.start[one] - from) * scale, wide = this.total[one] * scale;
      if (wide >= 1) row(this.depth[one]).push([one, left, wide]);
      else if (wide > 0) Frames.merge(row(this.depth[one]), left, wide);
      one = wide >= 1 ? one + 1 : this.after[one];
    }
    return found.map((several) => several.filter(([, , wide]) => wide >= 1));
  }

  static merge(row, left, wide) {
    const last = row.at(-1);
    if (last?.[0] === -1 && left - last[1] - last[2] < 0.5) last[2] = left + wide - last[1];
    else row.push([-1, left, wide]);
  }
}
