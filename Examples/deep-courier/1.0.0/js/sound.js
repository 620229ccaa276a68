// Short samples through Web Audio. Without audio (no device, blocked, not decodable) the game is silent.

export class Sound {
  constructor(files) {
    this.on = true;
    this.files = files;
    this.samples = {};
    this.context = null;
  }

  /// Must be called from a user gesture: browsers start no sound without one.
  unlock() {
    if (this.context) {
      this.context.resume().catch(() => {});
      return;
    }
    const Context = window.AudioContext || window.webkitAudioContext;
    if (!Context) return;
    this.context = new Context();
    for (const [name, url] of Object.entries(this.files)) {
      fetch(url)
        .then((response) => response.arrayBuffer())
        .then((bytes) => this.context.decodeAudioData(bytes))
        .then((sample) => (this.samples[name] = sample))
        .catch((error) => console.warn(`no sound from ${url}: ${error}`));
    }
  }

  /// `rate` above 1 plays higher and faster.
  play({ sound, rate = 1 }) {
    const sample = this.samples[sound];
    if (!this.on || !sample) return;
    const source = this.context.createBufferSource();
    source.buffer = sample;
    source.playbackRate.value = rate;
    source.connect(this.context.destination);
    source.start();
    document.body.dataset.sounds = Number(document.body.dataset.sounds || 0) + 1;
  }
}
