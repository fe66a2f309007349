// The words that the detector knows, in ROT13: nobody should have to read slurs to read the code beside them.
// To read them: tr 'A-Za-z' 'N-ZA-Mn-za-m' < encoded-lexicon.ts. The same command turns a line back.
// How the lines are read: lexicon.ts.

export const ENCODED_LEXICON = `
# Naljurer: cebsnar jurerire vg fgnaqf va n jbeq.
naljurer: shpx shpp cuhpx sipx ovgpu ovngpu ovbgpu orbgpu orlbgpu avttn avttre juber zbguresh zbgunsh zhgunsh
naljurer: ohyyfuvg ubefrfuvg qvcfuvg ongfuvg ncrfuvg puvpxrafuvg wnpxfuvg phagsnpr pbpxfhpx qvpxurnq
naljurer: nffubyr nefrubyr phzfubg tnatonat oybjwbo unaqwbo evzwbo shpxgneq pbpxoybpx tbqqnz

# Jbeqf gung bayl ubyq bar bs gubfr ol punapr.
vaabprag: avttneq{,f,yl,yvarff,rq,vat} favttre{,f,rq,vat,vatf,vatyl,re,ref} ovgpur ovgpuh

# Nyjnlf, nf jbeqf bs gurve bja.
jbeq: shx{,va} gubg{,f} cnxv{,f} cvffl | anzr
jbeq: shx{f,a,vat,rq,re,ref} shxx{,va,vat,re,rq} spx{,f,a,va,vat,rq,re,ref} shd{,va} sxa sxva sxvat sphx{,vat,rq} skpx
jbeq: fuvg{,f,g,m,gl,gvre,gvrfg,gvyl,gvat,gva,grq,gre,gref,urnq,urnqf,ont,ontf,ubyr,ubyrf,fubj,fubjf,snprq,fgbez,fgbezf,cbfg,cbfgf,cbfgre,cbfgref,cbfgvat}
jbeq: fuvg{yvfg,yvfgf,ybnq,ybnqf,gba,gbaf,yrff,pna,pnaarq,ubhfr,ubhfrf,oveq,oveqf,xvpxre,fgnva,fgnvaf,nff,rngvat,oenvarq,gnyx,gnyxvat,snpr} fuvvg ffuvg
jbeq: phag{,f,vfu,snprq,ont,ontf,ubyr,ent,rq,vat} wvmm{,rq,rf,vat,l} avtthu{,f} avtterff{,rf} avttyrg{,f} avtt{h,b,f,l,rem} avttrebhf
jbeq: zbsb{,f} zsre{,f} fgsh tgsb bzst fuvgr{,f} fulg fulgr ovuu okgpu
jbeq: avppn{,f,m} avtyrg{,f} avtabt{,f} jvttre{,f} jvttn{,f,m} juvttre{,f} wvt{,t}nobb{,f} cvpxnavaa{l,vrf} qnexvr{,f} qnexl
jbeq: enturnq{,f} gbjryurnq{,f} fnaqzbaxrl{,f} ornare{,f} mvccreurnq{,f} fynagrlr{,f} puvatpubat tlc{,c}b{,f} cvxrl{,f}
jbeq: urro{,f} xlxr{,f} wnc{,f} puvaxl
jbeq: snttl snttbgl snttvg{,f} snttrg{,f} snttbgel sntont{,f} sntunt{,f} ubzbf yrfob yrmmvr{,f} yrmob{,f} furznyr{,f} cbbsgre{,f}
jbeq: yvogneq{,f} ergneqb gneq{f}
jbeq: nffung{,f} nffjvcr{,f} nffpybja{,f} nffsnpr{,f} nffurnq{,f} nffont{,f} nffzhapu{,re,ref} nffyvpx{,re,ref,vat}
jbeq: nffxvff{re,ref,vat} nffxvpx{,re,ref,vat} qhzonff{,rf} onqnff{,rf,rel} fznegnff{,rf} uneqnff{,rf} sngnff{,rf} ynmlnff chaxnff
jbeq: ovtnff oebxrnff ynzrnff jvfrnff{,rf} pnaqlnff{,rf} xvpxnff unysnff{,rq} onernff{,rq} gvtugnff{,rf} xvffnff{,rf} htylnff
jbeq: fghcvqnff penmlnff byqnff nmm nmmubyr{,f} nefr{,f,q} nefrjvcr{,f} fznegnefr{,f}
jbeq: chffvrf chfflnff chfflubyr{,f} qvpxjnq{,f} qvpxsnpr{,f} qvpxjrrq{,f} qvpxvfu qvpxyrff qvpxont{,f} qvpxfhpx{re,ref,vat} qvpxcvp{,f}
jbeq: pbpxurnq{,f} pbpxsnpr{,f} fpuybat{,f} jnax{f,rq,re,ref,vat,l} oryyraq{,f} xabournq{,f} obyybpx{,f,rq,vat} obyybk
jbeq: fcbbtr fcybbtr dhrrs{,f,rq,vat} ohxxnxr pernzcvr{,f} pbbpuvr{,f} cbbagnat chanav chanal zvatr inwnlwnl onyyfnpx{,f} ahgfnpx{,f}
jbeq: ohggcyht{,f} ohggubyr{,f} phzqhzcfgre{,f} phzohpxrg{,f} phzfyhg{,f} phzf gvggvrf gvggvr obbof
jbeq: fxnax{,f,l} fyhgf fyhggl fyhggvre fyhggvrfg fyhgont{,f} gjng{,f,gl} gubg{gl,gvrf} ubront{,f} ubrnff
jbeq: cvff{,rq,rf,re,ref,vat} cvffurnq{,f} gheq{,f} penccl penccrq penccvat penccvre penccvrfg ohttre{,f,rq} fbqqvat
jbeq: qnzzvg qnzavg qbhpuront{,f} qbhpurl qbhpurabmmyr{,f}

# Jvgu vaabprag zrnavatf.
jbeq: ovgpu{,rf} | abg-arne oerrqre oerrqref oerrqvat juryc jurycrq jurycvat fcnlrq xraary xraaryf rfgehf brfgehf yvggre yvggref chccvrf chcf crqvterr fver fghq narfgebhf irg oerrq
jbeq: ubr{,f} | abg-arne tneqra tneqraf tneqravat tneqrare enxr enxrf fubiry fubiryf fcnqr fcnqrf fbvy jrrq jrrqf jrrqvat cybj cybhtu snezre snezref pebcf genpgbe sbex fvpxyr gebjry cvgpusbex unaqyr obj qhgpu nkrf unzzref gbbyf vzcyrzragf pnoontr svryq svryqf ebj ebjf pbggba pbea; sbervta; anzr
jbeq: nff | abg-arne qbaxrl qbaxrlf bk bkra zhyr zhyrf pbyg wnjobar onynnz znatre ahovna fbznyv fnqqyr fnqqyrq pnzry pnzryf ebqr wraal sbny wrehfnyrz fhogvgyr fhogvgyrf feg sszcrt rdhhf; abg-orsber jvyq; abg-nsgre fhogvgyr; sbervta; ab-qbg
jbeq: nffrf | abg-arne qbaxrl qbaxrlf bk bkra zhyr zhyrf ubefrf pnzryf furrc ureq ahovna fbznyv fnqqyrq rdhhf; abg-orsber jvyq; abg-nsgre gur vs jurgure ubj jung
jbeq: wnpxnff{,rf} | abg-arne qbaxrl qbaxrlf zhyr zhyrf zner crathva crathvaf svyz zbivr zgi xabkivyyr xvpxrq xbbxnoheen; abg-orsber ynhtuvat; anzr
jbeq: chffl | abg-nsgre jvyybj jvyybjf evbg png pngf tnyber sbbg; abg-arne xvggra xvggraf zrbj png juvfxref
jbeq: chfflf
jbeq: qvpx | tvira; abg-orsber zbol gevpxl fcbggrq cevingr; abg-nsgre purarl genpl pynex jbys ina tenlfba ghecva juvggvatgba senapvf ohgxhf qheova ivgnyr; sbervta
jbeq: qvpxf | tvira
jbeq: pbpx | abg-arne ebbfgre ebbfgref ura uraf pebj pebjf pebjrq pebjvat oveq oveqf tha cvfgby evsyr zhfxrg unzzre gevttre urnq rlroebj rne ebova curnfnag tebhfr srnguref jrngure cyhzntr puvpxraf cbhygel fabbx fabbxf svtugvat oerq qbzrfgvp ebpx ebpxf qbbqyr ubbc inyir inyirf cyhzovat pvfgrea gnc; abg-nsgre naq; abg-orsber fgbc onyy jrngure tnzr oynpx; anzr
jbeq: pbpxf | abg-arne ebbfgre ebbfgref ura uraf pebj pebjf pebjrq pebjvat oveq oveqf svtug svtugvat curnfnag tebhfr puvpxraf cbhygel tha cvfgby urnq rlroebj inyir inyirf cyhzovat pvfgrea gncf; abg-orsber fgbc onyy jrngure; tvira
jbeq: pbpxvat | bayl-orsber zl lbhe ovt
jbeq: gvg | bayl-orsber n zl lbhe ovt yrsg evtug avpr; abg-orsber oyhr terng pbny znefu jvyybj orneqrq perfgrq; abg-nsgre sbe
jbeq: gvgf | abg-arne oveq oveqf svapu svapurf oyhr terng pbny znefu jvyybj orneqrq perfgrq srrqre srrqref arfg arfgf fcneebjf ebovaf ahgungpurf fcrpvrf; abg-orsber oyhr terng pbny
jbeq: gvggl penccre | tvira
jbeq: jnax | anzr; abg-nsgre zbhagnva
jbeq: obbo | abg-nsgre ghor
jbeq: obbovrf | abg-arne sbbgrq oveq oveqf tnyncntbf arfg vfynaq znfxrq oebja erq tnaargf
jbeq: phz | bayl-orsber zl uvf ure lbhe gb tbaan jnaan v znxr ubg ernql jvyy fjnyybj qevax; bayl-nsgre va ba nyy vafvqr sbe qhzc rireljurer ntnva; abg-arne ynhqr fhzzn zntan qvivqraq; sbervta; ab-ulcura
jbeq: phzzvat | tvira
jbeq: cevpx{,f} | bayl-orsber n lbh fhpu yvggyr gurfr gubfr jung+n shpxvat neebtnag fghcvq nofbyhgr gbgny cbzcbhf ohapu+bs ovt; abg-nsgre bs gur lbhe uvf ure zl gurve vgf jvgu grfg grfgf va hc ba naq; sbervta
jbeq: fyhg | sbervta
jbeq: snttbg{,f} | abg-arne tenil crnf fgvpxf ohaqyr ohaqyrf sverjbbq xvaqyvat bira jbbq zrngonyyf bssny oehfujbbq ureof
jbeq: snt{,f} | abg-arne fzbxr fzbxrq fzbxvat fzbxrf pvtnerggr pvtnerggrf cnpxrg yvtugre chss rgba ehtol cersrpg urnqznfgre fpubbyobl; abg-nsgre raq raqf cnpxrg cnpxrgf; sbervta
jbeq: qlxr{,f} | abg-arne frn sybbq sybbqvat sybbqf jngre evire qenva qenvaf yrirr qnz qnzf qhgpu argureynaqf qvgpu cbyqre cbyqref gvqr gvqrf vtarbhf onfnyg ebpx zntzn rzonaxzrag onax snezynaq bssn znefu genvy jnyy ohvyg; abg-orsber bssn bssnf ina qrivyf; anzr
jbeq: pbba{,f} | abg-orsber znvar enppbba; abg-nsgre qbt qbtf ubhaq ubhaqf png pngf purrfr fxva uhagvat uhagre uhagref encvqf; abg-arne enppbba enppbbaf oerrq xvggra xvggraf ubhaq; anzr
jbeq: fcvp{,f} | abg-nsgre naq a fcna
jbeq: fcvpx{,f} | abg-nsgre naq a fcna; anzr
jbeq: puvax{,f} | abg-arne nezbe nezbhe jnyy yvtug tynffrf phegnvaf phegnva qbbe fuhggref tnc penaavrf penaal ubyybj fgbar fgbarf ebpxf pbvaf ybt ybtf zrgnyyvp srapr nezbherq; abg-nsgre va bs orgjrra; anzr
jbeq: tbbx{,f} | abg-orsber tbooyrql qr; anzr
jbeq: jrgonpx{,f} | abg-arne fgbir urngre urngvat sver jngre bcrengvba; anzr
jbeq: xvxr{,f} | anzr
jbeq: qntb{,f} | anzr
jbeq: jbc{,f} | ybjre; abg-orsber qbb qb obc; abg-nsgre obc
jbeq: jbt{,f} | ybjre
jbeq: cbynpx{,f} | anzr
jbeq: xnssve{,f} | abg-nsgre yvzr yvzrf yrns yrnirf pbea obbz
jbeq: genaal genaavrf | abg-arne pne pnef gehpx genafzvffvba ratvar trneobk trne trnef pyhgpu syhvq nhgbzngvp znahny fcrrq ina fjnc erohvyq erohvyg
jbeq: avt{,f} | ybjre
jbeq: ergneq | abg-orsber gb jvyy znl pna pbhyq jbhyq zvtug abg sver synzr juvpu gung naq be; abg-nsgre gur tebjgu fcnex cebterff vgf gurve qrirybczrag
jbeq: ergneqf | abg-nsgre gur tebjgu qrirybczrag vgf gurve; abg-orsber juvpu gung vg nyfb
jbeq: ergneqrq | abg-orsber zragnyyl tebjgu qrirybczragnyyl unf unir unq; abg-nsgre tebjgu gvzr cbgragvny cbgragvnyf terra ol gur gurve vgf qrirybczrag npgvba zbgvba qvsshfvba va; abg-arne vtavgvba gvzvat
jbeq: ubzb | bayl-orsber ab n lbh fhpu gung shpxvat fbzr; abg-nsgre fncvraf rerpghf unovyvf fncvra rpbabzvphf yhqraf snore arnaqregunyrafvf
jbeq: dhrre | bayl-orsber lbh fhpu+n shpxvat fgneohpxf ln n; ynfg
jbeq: dhrre | bayl-nsgre onvg
jbeq: ub | bayl-orsber guvf gung lbh ln qhzo fghcvq gurz qng lbhe penml gurfr qrfr htyl; abg-orsber ub; ybjre
jbeq: ubf | bayl-orsber gurfr gurz qrz lbh zl ab lbhe nyy fbzr qhzo fghcvq; ybjre
jbeq: onfgneq{,f} | abg-arne fjbeq fjbeqf svyr svyrf vyyrtvgvzngr urve jvyyvnz pbadhrebe xvat guebar cevapr qhxr rney oneba aboyrzna aboyrf aboyr gbnqsynk jvat vaqvtb onfgreqf; anzr; abg-nsgre fba fbaf qnhtugre puvyq puvyqera fjbeq bcrengbe
jbeq: qnza | abg-nsgre lnaxrrf
jbeq: penc | abg-nsgre fubbg tnzr tnzrf gnoyr; sbervta
jbeq: uryy | bayl-orsber jung+gur gur+npghny jub+gur jul+gur ubj+gur jurer+gur jura+gur oybbql tb+gb ebg+va nf+ubg ubg+nf znq+nf fher+nf fpnerq+nf gverq+nf shaal+nf tbbq+nf htyl+nf yvxr+ubyl tvir+n jung+va+gur trg+gur fuhg+gur
jbeq: uryy | bayl-nsgre ab lrnu lrn lrf anu anj
jbeq: wrex{,vat,rq} wnpx{,vat,rq} | bayl-nsgre bss
jbeq: wbo{,f} | bayl-orsber oybj evz
jbeq: genfu | bayl-orsber juvgr genvyre; abg-nsgre ont ontf pna pnaf ova ovaf
jbeq: zbaxrl{,f} | bayl-orsber cbepu fnaq
jbeq: wbpxrl{,f} | bayl-orsber xabo
jbeq: zhapure{,f} | bayl-orsber pnecrg eht
jbeq: cnpxre{,f} | bayl-orsber shqtr
jbeq: gbffre{,f} | abg-arne fnynq pbva pnore cnapnxr onyy
jbeq: obare{,f} | anzr; abg-arne obar xavsr ohgpure zrng obavat
jbeq: qvyqb{,f} | abg-arne arjsbhaqynaq onl vfynaq; anzr
jbeq: zvys{,f} | ybjre
jbeq: qbhpur{,f} | bayl-orsber n lbh fhpu jung+n gbgny pbzcyrgr shpxvat fghcvq yvggyr; abg-arne intvany anfny try fubjre jngre ovqrg
jbeq: funttvat | abg-arne pnecrg eht cvyr onyyf
jbeq: jgs | abg-arne gnrxjbaqb
jbeq: yzsnb{,b} | abg-arne onaq qhb erqsbb fbat fbatf nagurz nyohz enccre uvg
jbeq: zsf | ybjre
jbeq: ohatubyr{,f} | abg-arne oneery oneeryf pnfx pnfxf xrt fgnir jvar pbex

# Jung n qvfthvfr vf ybbxrq sbe: znfxrq, fcryyrq jvgu qvtvgf naq fvtaf, be qenja ncneg.
qvfthvfrq: shpx{,f,rq,re,ref,va,vat,snpr,urnq} zbgureshpx{re,ref,vat,va} fuvg{,f,gl,gvat,gre,urnq} ohyyfuvg ovgpu{,rf,l,vat,nff} phag{,f}
qvfthvfrq: avtt{n,nf,re,ref,nu,nm} chffl chffvrf nffubyr{,f} nefrubyr{,f} qvpx{,f,urnq,urnqf} pbpx{,f,fhpxre,fhpxref} juber{,f} fyhg{,f,gl}
qvfthvfrq: snttbg{,f} onfgneq{,f} gjng{,f} jnax{,re,ref} gvgf gvggvrf wvmm qvyqb{,f} qhzonff wnpxnff oybjwbo{,f} tbqqnza penc
qvfthvfrq: ergneq{,f,rq} ubrf gubg{,f} qnza
`
