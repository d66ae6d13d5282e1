// Colours of a flame graph, out of the page's own and Okabe and Ito's, which all eyes tell apart.
const HUES = ["#009e73", "#0072b2", "#e69f00", "#cc79a7", "#d55e00", "#56b4e9"];
const FOUND = ["#f0e442", "#000000"]; // of what a search found: ground and text
const MORE = "#d55e00", LESS = "#0072b2"; // joules than in the other run
const TINT = 0.42, STRONGEST = 0.9; // shares of the colour, the rest is paper

const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
// So much of one colour in the other.
const mixed = (one, other, share) => {
  const [a, b] = [parts(one), parts(other)];
  const whole = a.map((part, at) => Math.round(part * share + b[at] * (1 - share)));
  return "#" + whole.map((part) => part.toString(16).padStart(2, "0")).join("");
};
const luminance = (colour) =>
  parts(colour)
    .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
// The text of the two that stands out more on this ground.
const textOn = (ground) => ((luminance(ground) + 0.05) ** 2 > 0.05 * 1.05 ? "#000000" : "#ffffff");

class Colours {
  constructor(frames) {
    this.frames = frames;
    this.known = new Map();
    const page = getComputedStyle(document.documentElement);
    for (const name of ["paper", "ink", "quiet"]) this[name] = page.getPropertyValue(`--${name}`).trim();
    this.plain = mixed(this.quiet, this.paper, 0.22);
    this.thin = [mixed(this.quiet, this.paper, 0.35), this.ink];
  }

  // Ground and text of a frame.
  of(frame) {
    const { compares, kind, name } = this.frames;
    return this.kept(compares ? this.ofDifference(frame) : this.ofKind(kind[name[frame]]));
  }

  kept(ground) {
    if (!this.known.has(ground)) this.known.set(ground, [ground, textOn(ground)]);
    return this.known.get(ground);
  }

  ofKind(kind) {
    return kind < this.frames.kinds.length - 1 ? mixed(HUES[kind], this.paper, TINT) : this.plain;
  }

  ofDifference(frame) {
    const weight = this.frames.weight(frame);
    return weight === 0 ? this.plain : this.ofWeight(weight);
  }

  // In steps, so that there are few colours.
  ofWeight(share) {
    return mixed(share > 0 ? MORE : LESS, this.paper, (STRONGEST * Math.round(10 * Math.abs(share))) / 10);
  }
}
