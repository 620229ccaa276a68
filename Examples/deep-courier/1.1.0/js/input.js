// Keyboard and pointer (touch, pen, mouse) as one answer: where does the player want to go?

const KEYS = {
  ArrowLeft: [-1, 0], KeyA: [-1, 0],
  ArrowRight: [1, 0], KeyD: [1, 0],
  ArrowUp: [0, -1], KeyW: [0, -1],
  ArrowDown: [0, 1], KeyS: [0, 1],
};

export class Input {
  constructor(target) {
    this.scale = 1;
    this.held = new Set();
    this.pointer = null;
    this.moved = { x: 0, y: 0 };
    window.addEventListener("keydown", (event) => {
      if (!(event.code in KEYS)) return;
      this.held.add(event.code);
      event.preventDefault();
    });
    window.addEventListener("keyup", (event) => this.held.delete(event.code));
    window.addEventListener("blur", () => this.forget());
    target.addEventListener("pointerdown", (event) => {
      if (this.pointer !== null) return;
      this.pointer = event.pointerId;
      this.last = { x: event.clientX, y: event.clientY };
      target.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    target.addEventListener("pointermove", (event) => {
      if (event.pointerId !== this.pointer) return;
      this.moved.x += event.clientX - this.last.x;
      this.moved.y += event.clientY - this.last.y;
      this.last = { x: event.clientX, y: event.clientY };
    });
    for (const end of ["pointerup", "pointercancel"]) {
      target.addEventListener(end, (event) => {
        if (event.pointerId === this.pointer) this.pointer = null;
      });
    }
  }

  forget() {
    this.held.clear();
    this.pointer = null;
    this.moved = { x: 0, y: 0 };
  }

  /// A direction of length at most 1, from the keys.
  get direction() {
    let x = 0;
    let y = 0;
    for (const code of this.held) {
      x += KEYS[code][0];
      y += KEYS[code][1];
    }
    const length = Math.hypot(x, y);
    return length > 1 ? { x: x / length, y: y / length } : { x, y };
  }

  /// How far the finger went since the last call, in sea units. The submarine follows the
  /// movement, not the finger itself, so that the hand never covers it.
  takeDrag() {
    const gain = 1.35 / this.scale;
    const drag = { x: this.moved.x * gain, y: this.moved.y * gain };
    this.moved = { x: 0, y: 0 };
    return drag;
  }
}
