// Energy flame graphs: the outermost function at the top, as wide as its joules. Drawn when the reader comes near; the
// tables beside it tell the same to those who do not see it. No library: d3-flame-graph 5.0 is kept, but makes an
// object of each frame and lays all of them out: 100 000 stacks (1.4 million frames) took it 8.5 s, and this 0.6 s.
const ROW = 19, FONT = 11, LEAST_LABEL = 28; // pixels
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const joules = (value) => `${digits.format(value)} J`;
const signed = (value) => `${value > 0 ? "+" : ""}${joules(value)}`;
const percent = (share) => `${digits.format(100 * share)} %`;

function made(name, properties = {}, ...children) {
  const found = Object.assign(document.createElement(name), properties);
  found.append(...children);
  return found;
}

class FlameGraph {
  constructor(place, data) {
    this.frames = new Frames(data);
    this.at = this.zoomed = 0;
    this.fits = new Uint8Array(data.names.length);
    this.canvas = made("canvas");
    this.room = made("div", { className: "flame-room" });
    this.box = made("div", { className: "flame-box", tabIndex: 0, role: "application" }, this.canvas, this.room);
    this.box.setAttribute("aria-roledescription", "flame graph");
    this.box.setAttribute("aria-label", place.dataset.label);
    this.told = made("output", { className: "flame-told" });
    this.key = made("ul", { className: "flame-legend" });
    place.replaceChildren(tools(this), this.box, this.told, this.key);
    listen(this);
    this.tell();
    this.reset();
  }

  // Anew, after a change of size, colours or of what is wide.
  reset() {
    this.colours = new Colours(this.frames);
    this.key.replaceChildren(...legend(this));
    this.width = this.box.clientWidth;
    this.rows = this.frames.rows(this.zoomed, this.width);
    this.room.style.height = `${this.rows.length * ROW}px`;
    this.box.style.height = `min(34rem, ${this.rows.length * ROW}px)`;
    this.draw();
  }

  // The rows in sight only.
  draw() {
    const height = this.box.clientHeight, sharp = devicePixelRatio, pen = this.canvas.getContext("2d");
    this.canvas.width = this.width * sharp;
    this.canvas.height = height * sharp;
    this.canvas.style.height = `${height}px`;
    this.room.style.marginTop = `${-height}px`; // under the canvas, which sticks to the box
    pen.scale(sharp, sharp);
    pen.font = `${FONT}px ui-monospace, "Liberation Mono", monospace`;
    pen.textBaseline = "middle";
    const letter = pen.measureText("m").width, first = Math.floor(this.box.scrollTop / ROW);
    for (let row = first; row < Math.min(this.rows.length, first + height / ROW + 1); row++) {
      for (const piece of this.rows[row]) this.paint(pen, piece, row * ROW - this.box.scrollTop, letter);
    }
  }

  paint(pen, [frame, left, wide], top, letter) {
    const [ground, text] = this.ground(frame);
    pen.fillStyle = ground;
    pen.fillRect(left, top, wide > 3 ? wide - 1 : wide, ROW - 1);
    if (frame === this.at) this.outline(pen, left, top, wide);
    if (wide < LEAST_LABEL || frame < 0) return;
    pen.fillStyle = text;
    pen.fillText(this.words(frame, Math.floor((wide - 7) / letter)), left + 3, top + ROW / 2);
  }

  ground(frame) {
    if (frame < 0) return this.colours.thin;
    return this.fits[this.frames.name[frame]] ? FOUND : this.colours.of(frame);
  }

  outline(pen, left, top, wide) {
    pen.lineWidth = 2;
    pen.strokeStyle = this.colours.ink;
    pen.strokeRect(left + 1, top + 1, Math.max(1, wide - 3), ROW - 3);
  }

  // With the difference where there is room: colour is not all that tells it.
  words(frame, letters) {
    const name = fitted(this.label(frame), letters), { frames } = this;
    const more = frames.compares && frames.weight(frame) !== 0 ? ` ${signed(frames.difference(frame))}` : "";
    return name.length + more.length <= letters ? name + more : name;
  }

  label(frame) {
    return this.frames.names[this.frames.name[frame]];
  }

  go(frame) {
    this.at = frame;
    const top = this.frames.depth[frame] * ROW, box = this.box;
    if (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
    this.draw();
    this.tell();
  }

  zoom(frame) {
    this.zoomed = frame;
    this.reset();
    this.go(frame);
  }

  tell(frame = this.at) {
    const [totals, own] = [this.frames.totals, this.frames.own].map((runs) => runs.map((one) => one[frame]));
    const words = this.frames.compares ? this.apart(totals, own) : this.alone(totals[0], own[0]);
    this.told.textContent = `${this.label(frame)}: ${words}`;
  }

  share(total) {
    return percent(total / (this.frames.total[0] || 1));
  }

  alone(total, own) {
    const share = `${this.share(total)} of what was attributed`;
    return `${joules(total)} with all that it calls, ${share}; ${joules(own)} of its own`;
  }

  apart(totals, own) {
    const both = (two) => `${this.frames.runs.map((run, at) => `${joules(two[at])} in ${run}`).join(", ")}`;
    return `${both(own)} of its own; ${both(totals)} with all that it calls`;
  }
}

// Of a name that is too long its last part, which tells most; of a module that is imported, its own.
// Of a compiled function its symbol, without the library, scopes and template's arguments.
function short(name) {
  const [symbol, native] = name.split(" [native]", 2);
  if (native === undefined) return name.slice(name.lastIndexOf(".") + 1);
  const plain = symbol.split("<", 1)[0];
  return plain.slice(plain.lastIndexOf(":") + 1) || symbol;
}

function fitted(full, letters) {
  const name = full.replace(/\.<module>$/, "");
  if (name.length <= letters) return name;
  const last = short(name);
  return last.length <= letters ? last : letters > 3 ? `${last.slice(0, letters - 1)}…` : "";
}

const nearing = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) appear(target);
}, { rootMargin: "300px" });

async function appear(place) {
  nearing.unobserve(place);
  new FlameGraph(place, JSON.parse(await inflated(place.dataset.flame)));
  place.dataset.live = "yes";
  performance.mark(place.dataset.flame);
}

for (const place of document.querySelectorAll(".flame")) nearing.observe(place);
